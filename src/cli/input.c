/* input.c - a file of numbers, mapped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "names.h"
#include "spool.h"

/* A file that is being opened. Nothing is ever read twice, so that a pipe is as good as a file. */
struct opening {
    const char *name;
    int fd;
    bool npy;
    size_t expected; /* bytes of elements that the header promises; for a raw file: any number       */
    char head[NPY_MAGIC_SIZE];
    size_t head_length; /* how much of head is elements, read in search of the magic of .npy         */
};

static int file_trouble(const char *name, int error) {
    complain("%s: %s", name, strerror(error));
    return EXIT_TROUBLE;
}

/* Reads exactly length bytes of a header. */
static int read_header_part(const struct opening *opening, void *buffer, size_t length) {
    ssize_t got = spool_read(opening->fd, buffer, length);
    if (got < 0) return file_trouble(opening->name, errno);
    if ((size_t)got < length) {
        complain("%s: truncated in the .npy header", opening->name);
        return EXIT_TROUBLE;
    }
    return EXIT_FINE;
}

/* What follows the magic, up to the text. */
static int read_text_length(const struct opening *opening, size_t *length) {
    unsigned char bytes[4] = { 0 };
    int status = read_header_part(opening, bytes, 2);
    if (status) return status;
    int version = bytes[0];
    if (version < 1 || version > 3 || bytes[1]) {
        complain("%s: .npy version %d.%d is unknown", opening->name, bytes[0], bytes[1]);
        return EXIT_TROUBLE;
    }
    bytes[0] = 0;
    status = read_header_part(opening, bytes, version == 1 ? 2 : 4);
    *length = bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    if (!status && *length > NPY_MAX_TEXT) {
        complain("%s: wrong .npy header: %zu bytes long", opening->name, *length);
        return EXIT_TROUBLE;
    }
    return status;
}

static bool is_written_opaque(int type) { return type == QUIRE_BF16 || type == QUIRE_E5M2 || type == QUIRE_E4M3; }

static int check_type(const struct opening *opening, struct npy_header *header, int wanted) {
    if (!header->type && wanted && is_written_opaque(wanted) && header->opaque == type_size((quire_type)wanted))
        header->type = wanted;
    if (!header->type)
        complain("%s: opaque arrays are not supported, only floats (%s)", opening->name,
                 header->opaque == 1 ? "8-bit floats need --type e5m2 or e4m3" : "bfloat16 needs --type bf16");
    else if (wanted && header->type != wanted)
        complain("%s: an .npy file of %s, not of %s as --type says", opening->name, type_name((quire_type)header->type),
                 type_name((quire_type)wanted));
    else
        return EXIT_FINE;
    return EXIT_TROUBLE;
}

static int read_npy_header(struct opening *opening, struct npy_header *header, int wanted) {
    size_t length;
    int status = read_text_length(opening, &length);
    if (status) return status;
    char *text = malloc(length + 1);
    if (!text) return file_trouble(opening->name, errno);
    status = read_header_part(opening, text, length);
    if (!status && !npy_parse(header, text, length)) {
        complain("%s: %s", opening->name, header->problem);
        status = EXIT_TROUBLE;
    }
    free(text);
    if (!status) status = check_type(opening, header, wanted);
    if (!status) opening->expected = header->count * type_size((quire_type)header->type);
    return status;
}

/* Tells .npy from raw by the first bytes, and reads up to the first element (of a raw file: a little further). */
static int read_header(struct opening *opening, struct npy_header *header, int raw_type) {
    ssize_t got = spool_read(opening->fd, opening->head, NPY_MAGIC_SIZE);
    if (got < 0) return file_trouble(opening->name, errno);
    opening->npy = got == NPY_MAGIC_SIZE && !memcmp(opening->head, NPY_MAGIC, NPY_MAGIC_SIZE);
    if (opening->npy) return read_npy_header(opening, header, raw_type);
    if (!raw_type) {
        complain("%s: not an .npy file (raw numbers need --type)", opening->name);
        return EXIT_TROUBLE;
    }
    *header = (struct npy_header){ .type = raw_type, .dimensions = 1 };
    opening->expected = SIZE_MAX;
    opening->head_length = (size_t)got;
    return EXIT_FINE;
}

static int check_length(const struct opening *opening, size_t size, uintmax_t length) {
    if (!opening->npy && length % size)
        complain("%s: truncated: %ju bytes are no whole number of elements", opening->name, length);
    else if (opening->npy && length < opening->expected)
        complain("%s: truncated: the header promises %zu bytes of elements, there are %ju", opening->name, opening->expected,
                 length);
    else if (opening->npy && length > opening->expected)
        complain("%s: trailing garbage after the %zu bytes of elements", opening->name, opening->expected);
    else if (length > SIZE_MAX / 2)
        complain("%s: %s", opening->name, strerror(EFBIG));
    else
        return EXIT_FINE;
    return EXIT_TROUBLE;
}

/* A file that shrinks, or a disk that fails, while a mapping is read shows as SIGBUS. */
static void bus_error(int signal) {
    static const char message[] = "quire: an input file shrank, or could not be read, while it was summed\n";
    (void)signal;
    ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
    (void)ignored;
    _exit(EXIT_TROUBLE);
}

/* Maps length bytes from offset on; the mapping itself starts at the file's start, where pages do. */
static int map_elements(struct input *input, int fd, size_t offset, size_t length) {
    input->n = length / type_size(input->type);
    if (!length) return EXIT_FINE;
    struct sigaction action = { .sa_handler = bus_error };
    sigaction(SIGBUS, &action, NULL);
    void *map = mmap(NULL, offset + length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) return file_trouble(input->name, errno);
    posix_madvise(map, offset + length, POSIX_MADV_SEQUENTIAL);
    input->map = map;
    input->map_length = offset + length;
    input->elements = (const char *)map + offset;
    return EXIT_FINE;
}

static int spool_elements(struct input *input, const struct opening *opening, size_t size) {
    struct spool spool = { .name = opening->name, .size = input->header.foreign ? size : 1, .limit = opening->expected };
    int status = spool_open(&spool);
    if (!status) status = spool_copy(&spool, opening->fd, opening->head, opening->head_length);
    if (!status) status = check_length(opening, size, spool.length);
    if (!status) status = map_elements(input, spool.fd, 0, (size_t)spool.length);
    spool_close(&spool);
    return status;
}

static int open_elements(struct input *input, const struct opening *opening) {
    size_t size = type_size(input->type);
    struct stat stat;
    off_t position = -1;
    if (!fstat(opening->fd, &stat) && S_ISREG(stat.st_mode)) position = lseek(opening->fd, 0, SEEK_CUR);
    if (position < 0) return spool_elements(input, opening, size);
    uintmax_t offset = (uintmax_t)position - opening->head_length;
    if ((uintmax_t)stat.st_size <= offset) /* empty, or a file that does not know its size, as in /proc */
        return spool_elements(input, opening, size);
    uintmax_t length = (uintmax_t)stat.st_size - offset;
    int status = check_length(opening, size, length);
    if (status) return status;
    if (input->header.foreign || offset % size || offset > SIZE_MAX / 2) return spool_elements(input, opening, size);
    return map_elements(input, opening->fd, (size_t)offset, (size_t)length);
}

int input_open(struct input *input, const char *name, int raw_type) {
    bool standard = !strcmp(name, "-");
    struct opening opening = { .name = standard ? "standard input" : name, .fd = STDIN_FILENO };
    *input = (struct input){ .name = opening.name };
    if (!standard) opening.fd = open(name, O_RDONLY | O_CLOEXEC);
    if (opening.fd < 0) return file_trouble(opening.name, errno);
    int status = read_header(&opening, &input->header, raw_type);
    if (!status) {
        input->type = (quire_type)input->header.type;
        status = open_elements(input, &opening);
    }
    if (!status && !opening.npy) input->header.count = input->header.shape[0] = input->n;
    if (!standard) close(opening.fd);
    return status;
}

/* Whether the order of the elements in the file is that of Fortran and differs from that of C. */
static bool truly_fortran(const struct npy_header *header) {
    int longer = 0;
    for (int i = 0; i < header->dimensions; i++) longer += header->shape[i] > 1;
    return header->fortran && longer > 1;
}

/* The next dimension, from i on, that is longer than 1. */
static int next_dimension(const struct npy_header *header, int i) {
    while (i < header->dimensions && header->shape[i] == 1) i++;
    return i;
}

static bool same_shape(const struct npy_header *x, const struct npy_header *y) {
    int i = next_dimension(x, 0), j = next_dimension(y, 0);
    while (i < x->dimensions && j < y->dimensions && x->shape[i] == y->shape[j]) {
        i = next_dimension(x, i + 1);
        j = next_dimension(y, j + 1);
    }
    return i == x->dimensions && j == y->dimensions;
}

int input_match(const struct input *x, const struct input *y) {
    bool x_fortran = truly_fortran(&x->header), y_fortran = truly_fortran(&y->header);
    if (x->type != y->type)
        complain("dot needs one type: %s holds %s, %s holds %s", x->name, type_name(x->type), y->name, type_name(y->type));
    else if (x->n != y->n)
        complain("dot needs equal lengths: %s has %zu elements, %s has %zu", x->name, x->n, y->name, y->n);
    else if (x_fortran != y_fortran && x->n)
        complain("dot needs one order: %s is in %s order, %s in %s order", x->name, x_fortran ? "Fortran" : "C", y->name,
                 y_fortran ? "Fortran" : "C");
    else if (x_fortran && x->n && !same_shape(&x->header, &y->header))
        complain("dot needs equal shapes where the order is Fortran's: %s and %s differ", x->name, y->name);
    else
        return EXIT_FINE;
    return EXIT_TROUBLE;
}

void input_close(struct input *input) {
    if (input->map) munmap(input->map, input->map_length);
}
