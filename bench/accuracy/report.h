/* report.h - what a run has to say: one page of text, and the same with more detail in JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_REPORT_H
#define QUIRE_ACCURACY_REPORT_H

#include "head.h"
#include "plan.h"
#include "tally.h"

typedef struct report {
    const head *head;
    const options *options;
    const plan *plan;
    const ways *ways;
    const tally *tally;
} report;

/* To standard output. Complains and answers false if that fails. */
bool report_print(const report *r);
bool report_flush(void);

/* What a report begins with: the verdict, and what it means. any: whether anything was checked. */
void report_verdict(bool passed, bool any);

/* json.c, or json_stub.c where jansson is missing. json_open, before the run, finds out whether the file can be
 * written. */
bool json_open(const char *path);
bool json_write(const report *r);

/* What went wrong, in a line without its end. */
const char *failure_text(const failure *f, char *text, size_t size);

#endif
