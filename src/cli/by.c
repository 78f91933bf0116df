/* by.c - one result for each key in a column of the table that the numbers stand in.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>

#include "complain.h"
#include "groups.h"
#include "npy_write.h"
#include "reduce.h"
#include "whole.h"

/* ---------------------------------------------------------------------------------------------------------- results */

static int deliver(const struct options *options, const struct pieces *pieces, const struct groups *groups,
                   quire_type type, void *array, const void *digits, const int64_t *counts) {
    const struct input *input = pieces->input[0];
    const struct results results = { .file = { input->name, pieces->inputs == 2 ? pieces->input[1]->name : NULL },
                                     .elements = groups->rows,
                                     .type = element_name(&input->element),
                                     .result_type = type,
                                     .count = groups->count,
                                     .array = array,
                                     .digits = digits,
                                     .shape = &groups->count,
                                     .dimensions = 1,
                                     .keys = groups->key,
                                     .counts = counts };
    if (type == QUIRE_INT128 && options->output) {
        if (!whole_narrow(array, groups->count)) {
            complain("-o: a sum is beyond int64; --result f64 rounds it");
            return EXIT_TROUBLE;
        }
        type = QUIRE_INT64;
    }
    if (options->output) return npy_write(options->output, type, &groups->count, 1, false, array, groups->count);
    return print_results(options, &results);
}

static int reduce_groups(struct device *device, const struct options *options, const struct pieces *pieces,
                         const struct whole *whole, const struct groups *groups) {
    const struct input *input = pieces->input[0];
    quire_reduction what = reduction_of_whole(options, input->type, whole);
    const quire_type type = what.result_type;
    void *array = malloc((groups->count + 1) * type_size(type)), *digits = NULL;
    int64_t *counts = malloc((groups->count + 1) * sizeof *counts);
    int status = array && counts ? EXIT_FINE : out_of_memory();
    if (!status)
        status = device_reduce_by_key(device, &what, groups->count, groups->of_row, groups->rows,
                                      whole_elements(whole, 0), whole_elements(whole, 1), array, counts);
    if (!status && needs_digits(options, &what, whole, array, groups->count)) {
        what.result_type = QUIRE_INT128;
        digits = malloc(groups->count * type_size(QUIRE_INT128));
        status = digits ? device_reduce_by_key(device, &what, groups->count, groups->of_row, groups->rows,
                                               whole_elements(whole, 0), NULL, digits, counts)
                        : out_of_memory();
    }
    if (!status) status = deliver(options, pieces, groups, type, array, digits, counts);
    free(array);
    free(digits);
    free(counts);
    return status;
}

int reduce_by_key(struct device *device, const struct options *options, const struct pieces *pieces,
                  const struct whole *whole, const struct source *source) {
    struct groups groups;
    int status = groups_read(&groups, options, source, whole->n);
    if (!status) status = reduce_groups(device, options, pieces, whole, &groups);
    groups_free(&groups);
    return status;
}
