/* own.c - the user's own numbers: mapped where they are, or read into memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "own.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../src/cli/sources.h"
#include "number.h"
#include "terminal.h"

#define PIECE ((size_t)1 << 16) /* elements */

bool own_type(struct element *element, const char *word) {
    return element_named(word, element) || complain("--type %s: not " ELEMENT_NAMES, word);
}

static bool map_all(own *numbers, const struct input *input) {
    numbers->elements = input_map(input, &numbers->memory, &numbers->mapped);
    numbers->count = input->n;
    return numbers->elements || !input->n;
}

/* Room for a piece more. */
static bool make_room(own *numbers, size_t *room) {
    if (*room - numbers->count >= PIECE) return true;
    *room = 2 * *room + PIECE;
    void *more = realloc(numbers->memory, *room * type_size(numbers->type));
    if (more) numbers->memory = more;
    return more || complain("%s: too little memory", numbers->name);
}

static bool read_all(own *numbers, struct input *input) {
    static double low[PIECE];
    size_t room = 0;
    ssize_t got = 1;
    while (got > 0) {
        if (!make_room(numbers, &room)) return false;
        void *to = (char *)numbers->memory + numbers->count * type_size(numbers->type);
        got = input_read(input, PIECE, to, low);
        if (got > 0 && input->wide && input->element.integer && input_narrow(input, (size_t)got, to, low)) return false;
        if (got > 0) numbers->count += (size_t)got;
    }
    numbers->elements = numbers->memory;
    return !got;
}

static bool take(own *numbers, const struct source *source, const struct reading *reading) {
    struct input input;
    if (input_open(&input, source, reading)) return false;
    numbers->type = input.type;
    const bool fine = (input.mappable ? map_all(numbers, &input) : read_all(numbers, &input)) &&
                      (numbers->count || complain("%s: no elements", source->name));
    input_close(&input);
    return fine;
}

bool own_open(own *numbers, const char *path, const struct element *element) {
    const char *slash = strrchr(path, '/');
    struct reading reading = { .typed = element };
    struct sources sources;
    char *copy = strdup(path); /* which is cut at an archive's end */
    if (!copy) return complain("%s: too little memory", path);
    if (element) reading.element = *element;
    *numbers = (own){ .name = slash ? slash + 1 : path };
    bool fine = !sources_find(&sources, numbers->name, &copy, 1, &reading);
    if (fine && sources.count != 1) fine = complain("%s: %zu arrays; %s:NAME is one", path, sources.count, path);
    fine = fine && take(numbers, sources.source, &reading);
    sources_free(&sources);
    free(copy);
    if (!fine) own_close(numbers);
    return fine;
}

void own_close(own *numbers) {
    if (numbers->mapped)
        munmap(numbers->memory, numbers->mapped);
    else
        free(numbers->memory);
    *numbers = (own){ .name = NULL };
}
