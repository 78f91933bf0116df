/* input.c - an array of numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accumulators.h"
#include "complain.h"
#include "convert.h"
#include "foreign.h"
#include "inflate.h"

#define GZIP_MAGIC "\x1f\x8b\x08"
#define ZIP_MAGIC "PK\3\4"
#define TEXT_SAMPLE 512 /* how many bytes are looked at to tell text from raw numbers */

static int file_trouble(const char *name, int error) {
    complain("%s: %s", name, strerror(error));
    return EXIT_TROUBLE;
}

static int trouble(const struct input *input, const char *what) {
    if (!input->bytes.failed) complain("%s: %s", input->name, what); /* else that was told of */
    return EXIT_TROUBLE;
}

static bool ends_in(const char *name, const char *end) {
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && !strcmp(name + length - tail, end);
}

/* ---------------------------------------------------------------------------------------------------- what is there */

static bool begins_with(struct bytes *bytes, const char *magic, size_t length) {
    return bytes_peek(bytes, length) >= (ssize_t)length && !memcmp(bytes->buffer + bytes->next, magic, length);
}

#define MINUS "\xe2\x88\x92" /* of typography */

/* Text has no control characters but blanks, and begins with ASCII, the mark of UTF-8 or a minus. */
static bool is_text(struct bytes *bytes) {
    const ssize_t got = bytes_peek(bytes, TEXT_SAMPLE);
    const unsigned char *at = bytes->buffer + bytes->next;
    if (got > 0 && at[0] >= 0x80 && at[0] != 0xef && !begins_with(bytes, MINUS, 3)) return false;
    for (ssize_t i = 0; i < got; i++)
        if ((at[i] < 0x20 && (at[i] < '\t' || at[i] > '\r')) || at[i] == 0x7f) return false;
    return got >= 0;
}

/* Raw numbers may begin with any bytes: those of a typed file are compressed only if its name says so. */
static int decompress(struct input *input, const struct reading *reading) {
    if (reading->typed && !ends_in(input->name, ".gz")) return EXIT_FINE;
    if (!begins_with(&input->bytes, GZIP_MAGIC, 3)) return EXIT_FINE;
    return bytes_inflate_gzip(&input->bytes);
}

static ptrdiff_t read_header(void *user, void *to, size_t length) { return bytes_read(user, to, length); }

static bool is_written_opaque(int type) { return type == QUIRE_BF16 || type == QUIRE_E5M2 || type == QUIRE_E4M3; }

/* The type that was given must be the header's, and names what is opaque. */
static int check_type(const struct input *input, struct element *stored, const struct reading *reading) {
    const struct element *given = &reading->element;
    if (!stored->type && reading->typed && !given->integer && is_written_opaque(given->type) &&
        stored->size == given->size)
        stored->type = given->type;
    if (!stored->type)
        complain("%s: opaque arrays are not supported, only floats and integers (%s)", input->name,
                 stored->size == 1 ? "8-bit floats need --type e5m2 or e4m3" : "bfloat16 needs --type bf16");
    else if (reading->typed && (stored->type != given->type || stored->integer != given->integer ||
                                stored->size != given->size || stored->is_signed != given->is_signed))
        complain("%s: an .npy file of %s, not of %s as --type says", input->name, element_name(stored),
                 element_name(given));
    else
        return EXIT_FINE;
    return EXIT_TROUBLE;
}

static int begin_npy(struct input *input, const struct reading *reading) {
    struct npy_header *header = &input->header;
    if (!npy_read_header(header, read_header, &input->bytes)) {
        if (*header->problem) complain("%s: %s", input->name, header->problem);
        return EXIT_TROUBLE;
    }
    const int status = check_type(input, &header->element, reading);
    if (status) return status;
    input->stored = STORED_NPY;
    input->element = header->element;
    input->n = header->count;
    input->counted = true;
    return EXIT_FINE;
}

static int begin_text(struct input *input, const struct source *source, const struct reading *reading) {
    struct text *text = &input->text;
    input->stored = STORED_TEXT;
    input->element = (struct element){ .type = QUIRE_F64, .size = sizeof(double), .is_signed = true };
    if (reading->words) return text_open_words(text, &input->bytes, source->column, &reading->ways);
    if (source->column) input->row = (size_t)source->columns;
    return text_open(text, &input->bytes, source->column, source->columns, &reading->ways);
}

static int begin(struct input *input, const struct source *source, const struct reading *reading) {
    if (bytes_peek(&input->bytes, 1) < 0) return EXIT_TROUBLE;
    const int status = decompress(input, reading);
    if (status || bytes_peek(&input->bytes, 1) < 0) return EXIT_TROUBLE;
    if (!reading->typed && foreign_refused(&input->bytes, source->path)) return EXIT_TROUBLE;
    if (begins_with(&input->bytes, NPY_MAGIC, NPY_MAGIC_SIZE)) {
        if (!source->column) return begin_npy(input, reading);
        return trouble(input, "an .npy file has no columns; --axis or a member's name chooses there");
    }
    input->header = (struct npy_header){ .dimensions = 1 };
    if (source->column) return begin_text(input, source, reading);
    if (reading->typed) {
        input->element = reading->element;
        return EXIT_FINE;
    }
    if (begins_with(&input->bytes, ACCUMULATORS_MAGIC, ACCUMULATORS_MAGIC_SIZE))
        return trouble(input, "accumulators, not numbers: quire round rounds them");
    if (begins_with(&input->bytes, ZIP_MAGIC, 4))
        return trouble(input, "a zip archive: NumPy's are read from a file whose name ends in .npz; for others, try: "
                              "unzip -p FILE | quire sum");
    if (source->in_archive || ends_in(input->name, ".npy") || !is_text(&input->bytes))
        return trouble(input, "not an .npy file (raw numbers need --type)");
    return begin_text(input, source, reading);
}

/* ------------------------------------------------------------------------------------------------------- its length */

static int check_length(const struct input *input, uintmax_t length) {
    const bool npy = input->stored == STORED_NPY;
    const uintmax_t expected = npy ? (uintmax_t)input->n * input->element.size : 0;
    if (!npy && length % input->element.size)
        complain("%s: truncated: %ju bytes are no whole number of elements", input->name, length);
    else if (npy && length < expected)
        complain("%s: truncated: the header promises %ju bytes of elements, there are %ju", input->name, expected,
                 length);
    else if (npy && length > expected)
        complain("%s: trailing garbage after the %ju bytes of elements", input->name, expected);
    else if (length > SIZE_MAX / 2)
        complain("%s: %s", input->name, strerror(EFBIG));
    else
        return EXIT_FINE;
    return EXIT_TROUBLE;
}

/* Finds out how long a regular file is, and whether it can be mapped. */
static int measure(struct input *input) {
    struct stat stat;
    struct bytes *bytes = &input->bytes;
    if (input->stored == STORED_TEXT || bytes->inflater) return EXIT_FINE;
    if (fstat(input->fd, &stat) || !S_ISREG(stat.st_mode)) return EXIT_FINE;
    const off_t position = lseek(input->fd, 0, SEEK_CUR);
    if (position < 0) return EXIT_FINE;
    const uintmax_t offset = (uintmax_t)position - (bytes->end - bytes->next);
    uintmax_t length = (uintmax_t)stat.st_size > offset ? (uintmax_t)stat.st_size - offset : 0;
    if (bytes->left != UINTMAX_MAX && length > bytes->left + (bytes->end - bytes->next))
        length = bytes->left + (bytes->end - bytes->next);
    if (!length && !input->counted) return EXIT_FINE; /* empty, or a file that does not know its size, as in /proc */
    const int status = check_length(input, length);
    if (status) return status;
    const size_t size = input->element.size;
    input->n = (size_t)(length / size);
    input->counted = true;
    input->offset = (size_t)offset;
    input->mappable = (!input->element.integer || input->raw) && !input->element.foreign && !(offset % size) &&
                      offset <= SIZE_MAX / 4;
    return EXIT_FINE;
}

static int open_file(struct input *input, const struct source *source) {
    input->fd = STDIN_FILENO;
    if (strcmp(source->path, "-")) input->fd = open(source->path, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0) return file_trouble(input->name, errno);
    if (!source->in_archive) return bytes_open(&input->bytes, input->name, input->fd, UINTMAX_MAX);
    int status = zip_seek(input->name, input->fd, &source->member);
    if (!status && !source->member.deflated)
        status = inflate_check_stored(input->name, input->fd, source->member.packed, source->member.checksum);
    if (!status) status = bytes_open(&input->bytes, input->name, input->fd, source->member.packed);
    if (!status && source->member.deflated) status = bytes_inflate_member(&input->bytes, source->member.checksum);
    return status;
}

/* Of the numbers as they are read. */
static void find_type(struct input *input) {
    input->type = input->raw ? element_integer(&input->element) : (quire_type)input->element.type;
    input->wide = (convert_is_wide(&input->element) && !input->raw) || input->stored == STORED_TEXT;
}

void input_as_doubles(struct input *input) {
    input->mappable = input->mappable && !input->raw;
    input->raw = false;
    find_type(input);
}

int input_open(struct input *input, const struct source *source, const struct reading *reading) {
    memset(input, 0, sizeof *input);
    input->name = source->name;
    input->row = 1;
    int status = open_file(input, source);
    if (!status) status = begin(input, source, reading);
    input->raw = reading->integers && input->element.integer;
    if (!status) status = measure(input);
    find_type(input);
    input->parted = input->stored != STORED_TEXT;
    if (input->stored != STORED_NPY) input->header.count = input->header.shape[0] = input->n;
    if (status) input_close(input);
    return status;
}

void input_close(struct input *input) {
    text_close(&input->text);
    bytes_close(&input->bytes);
    if (input->fd > STDIN_FILENO) close(input->fd);
    input->fd = -1;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* The end of the elements: are there as many as there should be, and nothing else? */
static ssize_t at_end(struct input *input) {
    if (input->stored == STORED_TEXT) return 0;
    const ssize_t more = input->stored == STORED_NPY ? bytes_peek(&input->bytes, 1) : 0;
    if (more < 0) return -1;
    return check_length(input, input->taken + (uintmax_t)more) ? -1 : 0;
}

static ssize_t read_text(struct input *input, size_t n, double *x, double *low) {
    const ssize_t got = text_read(&input->text, x, low, n);
    input->parted = false;
    for (ssize_t i = 0; low && i < got; i++) input->parted |= low[i] != 0;
    return got;
}

bool input_are_integers(const struct input *input) {
    return input->element.integer || (input->stored == STORED_TEXT && !input->text.fractions);
}

ssize_t input_read(struct input *input, size_t n, void *x, double *low) {
    const struct element *element = &input->element;
    const size_t size = element->size;
    if (input->stored == STORED_TEXT) return read_text(input, n, x, low);
    if (input->stored == STORED_NPY && n > input->n - (size_t)(input->taken / size))
        n = input->n - (size_t)(input->taken / size);
    char *room = x;
    if (element->integer && !input->raw)
        room += n * (sizeof(double) - size); /* so that nothing is overwritten that is still to be read */
    const ssize_t got = n ? bytes_read(&input->bytes, room, n * size) : 0;
    if (got < 0) return -1;
    input->taken += (uintmax_t)got;
    if (!n || (size_t)got < n * size) {
        const ssize_t end = at_end(input);
        if (end < 0) return end;
        n = (size_t)got / size;
    }
    if (element->foreign) convert_order(room, n, size);
    if (element->integer && !input->raw) {
        char *last = (char *)x + n * (sizeof(double) - size);
        memmove(last, room, n * size);
        convert_integers(element, n, last, x, low);
    }
    return (ssize_t)n;
}

int input_beyond_doubles(const struct input *input) {
    complain("%s: an integer beyond 2^53, which is no double: exact sums of a whole file on a CPU take those, other "
             "exact results only beside integers of one type",
             input->name);
    return EXIT_TROUBLE;
}

int input_narrow(const struct input *input, size_t n, double *x, const double *low) {
    for (size_t k = 0; k < n; k++) {
        if (low[k] == 0) continue; /* infinities, NaN and -0 stay what they are */
        const double sum = x[k] + low[k];
        if (sum - x[k] != low[k]) return input_beyond_doubles(input);
        x[k] = sum;
    }
    return EXIT_FINE;
}

/* A file that shrinks, or a disk that fails, while a mapping is read shows as SIGBUS. */
static void bus_error(int signal) {
    static const char message[] = ": an input file shrank, or could not be read, while it was summed\n";
    (void)signal;
    const ssize_t name = write(STDERR_FILENO, program_name, strlen(program_name));
    const ssize_t rest = write(STDERR_FILENO, message, sizeof message - 1);
    (void)name, (void)rest;
    _exit(EXIT_TROUBLE);
}

/* The mapping itself starts at the file's start, where pages do. */
const void *input_map(const struct input *input, void **map, size_t *length) {
    *length = input->offset + input->n * input->element.size;
    *map = NULL;
    if (!input->n) return NULL;
    struct sigaction action = { .sa_handler = bus_error };
    sigaction(SIGBUS, &action, NULL);
    void *there = mmap(NULL, *length, PROT_READ, MAP_PRIVATE, input->fd, 0);
    if (there == MAP_FAILED) {
        file_trouble(input->name, errno);
        return NULL;
    }
    posix_madvise(there, *length, POSIX_MADV_SEQUENTIAL);
    *map = there;
    return (const char *)there + input->offset;
}
