/* measure.h - a reduction by all methods, with their errors, bounds and times.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_MEASURE_H
#define QUIRE_CLI_MEASURE_H

#include "device.h"

struct outcome {
    quire_method method;
    union number result;
    char digits[NUMBER_TEXT]; /* all of them, of an integer whose result has not; else empty */
    /* These are for measure_all only. An ulp is number_ulp of the exact method's result in the result type; NAN means
     * that there is no such number, because the exact result is not finite. */
    double error; /* of the result against the true one, in ulps */
    double bound; /* on that error, in ulps */
    double seconds;
    double rate; /* bytes of input a second */
};

/* Fills METHODS outcomes, in the order of every_method. */
int measure_all(struct device *device, const struct job *job, struct outcome *outcomes);

#endif
