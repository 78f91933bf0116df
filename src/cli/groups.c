/* groups.c - the groups of the rows of a table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "device.h"

/* ------------------------------------------------------------------------------------------------------------- keys */

static int add_key(struct key_texts *keys, const char *field) {
    const size_t length = strlen(field) + 1;
    if (keys->length + length > keys->room) {
        const size_t room = 2 * (keys->room + length);
        char *more = realloc(keys->text, room);
        if (!more) return out_of_memory();
        keys->text = more;
        keys->room = room;
    }
    memcpy(keys->text + keys->length, field, length);
    keys->length += length;
    keys->count++;
    return EXIT_FINE;
}

static int read_input(struct key_texts *keys, struct input *input) {
    const char *word;
    int status = EXIT_FINE, row = 1;
    while (!status && (row = text_read_word(&input->text, &word)) > 0) status = add_key(keys, word);
    return row < 0 ? EXIT_TROUBLE : status;
}

static int read_keys(struct key_texts *keys, const struct options *options, const struct source *source) {
    struct reading reading = options->reading;
    struct source of_keys = *source;
    struct input input;
    reading.words = true;
    of_keys.column = options->by, of_keys.columns = 1;
    if (!strcmp(source->path, "-")) {
        complain("standard input is read once: --by needs a file");
        return EXIT_USAGE;
    }
    int status = input_open(&input, &of_keys, &reading);
    if (status) return status;
    status = read_input(keys, &input);
    input_close(&input);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- groups */

/* A row's key, and the number that it is. */
struct keyed_row {
    const char *key;
    double number;
    size_t row;
};

static int compare_rows(size_t a, size_t b) { return a < b ? -1 : a > b; }

static int compare_texts(const void *a, const void *b) {
    const struct keyed_row *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order ? order : compare_rows(x->row, y->row);
}

static int compare_numbers(const void *a, const void *b) {
    const struct keyed_row *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number ? 1 : compare_texts(a, b);
}

/* Answers whether all keys are numbers. */
static bool find_rows(struct groups *groups, const char *text) {
    bool are_numbers = true;
    for (size_t i = 0; i < groups->rows; i++, text += strlen(text) + 1) {
        char *end;
        groups->row[i] = (struct keyed_row){ text, strtod(text, &end), i };
        are_numbers = are_numbers && end != text && !*end && isfinite(groups->row[i].number);
    }
    return are_numbers;
}

/* Two keys are one group if they are the same text. */
static int find_groups(struct groups *groups, const struct key_texts *keys, bool has_heading) {
    groups->rows = keys->count - has_heading;
    groups->row = malloc((groups->rows + 1) * sizeof *groups->row);
    groups->key = malloc((groups->rows + 1) * sizeof *groups->key);
    groups->of_row = malloc((groups->rows + 1) * sizeof *groups->of_row);
    if (!groups->row || !groups->key || !groups->of_row) return out_of_memory();
    const bool are_numbers = find_rows(groups, has_heading ? keys->text + strlen(keys->text) + 1 : keys->text);
    qsort(groups->row, groups->rows, sizeof *groups->row, are_numbers ? compare_numbers : compare_texts);
    for (size_t i = 0; i < groups->rows; i++) {
        const struct keyed_row *r = &groups->row[i];
        if (!i || strcmp(r->key, r[-1].key)) groups->key[groups->count++] = r->key;
        groups->of_row[r->row] = (int64_t)groups->count - 1;
    }
    return EXIT_FINE;
}

int groups_read(struct groups *groups, const struct options *options, const struct source *source, size_t n) {
    struct key_texts *keys = &groups->texts;
    memset(groups, 0, sizeof *groups);
    const int status = read_keys(keys, options, source);
    if (status) return status;
    const bool has_heading = keys->count == n + 1; /* which only a column without a name tells so */
    if (keys->count == n + has_heading) return find_groups(groups, keys, has_heading);
    complain("%s: %zu keys of %zu numbers", source->name, keys->count, n);
    return EXIT_TROUBLE;
}

void groups_free(struct groups *groups) {
    free(groups->texts.text);
    free(groups->row);
    free(groups->key);
    free(groups->of_row);
}

/* ------------------------------------------------------------------------------------------------------------ order */

int group_order_find(struct group_order *order, const struct groups *groups, const char *verb) {
    const size_t n = groups->rows, bytes = quire_order_workspace(NULL, groups->count, QUIRE_I64, n);
    void *workspace = NULL;
    order->row = malloc((n + 1) * sizeof *order->row);
    order->begin = malloc((groups->count + 1) * sizeof *order->begin);
    const bool none = !order->row || !order->begin || !bytes || posix_memalign(&workspace, 256, bytes);
    if (none) return out_of_memory();
    const quire_status status = quire_order_by_key(NULL, groups->count, QUIRE_I64, n, groups->of_row, order->row,
                                                   order->begin, workspace, bytes);
    free(workspace);
    return status ? device_trouble(verb, status) : EXIT_FINE;
}

void group_order_free(struct group_order *order) {
    free(order->row);
    free(order->begin);
}

char *group_order_gather(const struct group_order *order, const struct groups *groups, const char *x, size_t size) {
    char *elements = malloc((groups->rows + 1) * size);
    for (size_t k = 0; elements && k < groups->rows; k++)
        memcpy(elements + k * size, x + (size_t)order->row[k] * size, size);
    return elements;
}
