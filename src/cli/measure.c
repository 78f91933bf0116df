/* measure.c - a reduction by all methods, with their errors, bounds and times.
 *
 * The truth is an accumulator that holds the exact total A; it is never rounded. The error of a result r is found by
 * taking r off the accumulator again, exactly, and reading what is left:
 *
 *     sum, asum, dot   |A - r|
 *     mean             |A - n r| / n
 *     nrm2             |A - r^2| / (r + root of A), since A - r^2 = (root of A - r) (root of A + r)
 *
 * So it is right to some 15 digits however close r is, even where r is the correctly rounded double.
 *
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <math.h>

#include "bound.h"
#include "clock.h"
#include "complain.h"
#include "progress.h"

/* Short jobs are timed again until they took this long, or so often; the best time counts. */
#define REPEAT_SECONDS 0.05
#define REPEAT_TIMES 1000

static int accumulate_truth(struct device *device, const struct job *job, struct truth *truth) {
    const void *y = job->what.operation == QUIRE_DOT ? job->y : job->x;
    quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO, other = QUIRE_ACCUMULATOR_ZERO;
    truth->total = sum;
    int status = device_accumulate(device, job->what.type, operation_terms(job->what.operation), job->n, job->x, y,
                                   &truth->total);
    if (status) return status;

    switch (job->what.operation) {
    case QUIRE_ASUM:
    case QUIRE_SUMSQ:
    case QUIRE_NRM2: truth->magnitudes = scaled_accumulator(&truth->total); return EXIT_FINE;
    case QUIRE_DOT: /* the sum of |x y| is at most the product of the norms [Cauchy, Schwarz] */
        status = device_accumulate(device, job->what.type, TERM_PRODUCT, job->n, job->x, job->x, &sum);
        if (!status) status = device_accumulate(device, job->what.type, TERM_PRODUCT, job->n, job->y, job->y, &other);
        truth->magnitudes = scaled_root(scaled_times(scaled_accumulator(&sum), scaled_accumulator(&other)));
        return status;
    default:
        status = device_accumulate(device, job->what.type, TERM_MAGNITUDE, job->n, job->x, NULL, &sum);
        truth->magnitudes = scaled_accumulator(&sum);
        return status;
    }
}

/* Takes n times value off the total, exactly: n in two parts that are doubles. */
static void subtract_times(quire_accumulator *total, size_t n, double value) {
    const size_t low = n & 0xffffffff;
    const double factors[2] = { (double)(n - low), (double)low };
    const double values[2] = { -value, -value };
    quire_accumulate_products(NULL, total, QUIRE_F64, 2, factors, values);
}

/* The error of a finite result. */
static struct scaled error_of(const struct job *job, const struct truth *truth, double result) {
    quire_accumulator rest = truth->total;
    const double minus = -result;
    struct scaled root;
    switch (job->what.operation) {
    case QUIRE_MEAN:
        subtract_times(&rest, job->n, result);
        return scaled_over(scaled_accumulator(&rest), scaled_make((double)job->n, 0));
    case QUIRE_NRM2:
        quire_accumulate_products(NULL, &rest, QUIRE_F64, 1, &result, &minus);
        root = scaled_add(scaled_make(result, 0), scaled_root(scaled_accumulator(&truth->total)));
        return root.m == 0 ? root : scaled_over(scaled_accumulator(&rest), root);
    default: quire_accumulate(NULL, &rest, QUIRE_F64, 1, &minus); return scaled_accumulator(&rest);
    }
}

/* Sets error and bound of an outcome; exact is the value of the exact method. */
static void judge(const struct job *job, const struct truth *truth, double exact, struct outcome *outcome) {
    double result = number_value(job->what.result_type, &outcome->result);
    outcome->error = outcome->bound = NAN;
    if (!isfinite(exact)) return;
    int ulp = number_ulp(job->what.result_type, exact);
    outcome->error = isfinite(result) ? scaled_in_units(error_of(job, truth, result), ulp) : INFINITY;
    outcome->bound = scaled_in_units(bound_of(job, truth, outcome->method, ulp), ulp);
}

static int time_one(struct device *device, const struct job *job, struct outcome *outcome) {
    double total = 0;
    int times = 0;
    outcome->seconds = INFINITY;
    do {
        double start = clock_seconds();
        int status = device_reduce(device, job, outcome->method, &outcome->result);
        if (status) return status;
        double seconds = clock_seconds() - start;
        total += seconds;
        outcome->seconds = fmin(outcome->seconds, seconds);
    } while (total < REPEAT_SECONDS && ++times < REPEAT_TIMES);
    size_t arrays = job->what.operation == QUIRE_DOT ? 2 : 1;
    double bytes = (double)job->n * (double)(arrays * type_size(job->what.type));
    outcome->rate = outcome->seconds > 0 ? bytes / outcome->seconds : 0;
    return EXIT_FINE;
}

int measure_all(struct device *device, const struct job *job, struct outcome *outcomes) {
    struct truth truth;
    progress_pass(1, METHODS + 1);
    progress_begin("the truth", type_size(job->what.type));
    int status = accumulate_truth(device, job, &truth); /* first: this also brings the file into memory, if it fits */
    progress_end();
    double exact = NAN;
    for (int i = 0; i < METHODS && !status; i++) {
        outcomes[i] = (struct outcome){ .method = every_method[i] };
        progress_pass(i + 2, METHODS + 1);
        status = time_one(device, job, &outcomes[i]);
        if (outcomes[i].method == QUIRE_EXACT) exact = number_value(job->what.result_type, &outcomes[i].result);
    }
    progress_pass(0, 0);
    for (int i = 0; i < METHODS && !status; i++) judge(job, &truth, exact, &outcomes[i]);
    return status;
}
