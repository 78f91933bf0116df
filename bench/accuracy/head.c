/* head.c - version, commit, compiler, MPFR, processors, date, command.
 *
 * SPDX-License-Identifier: MIT
 */
#include "head.h"

#include <mpfr.h>
#include <quire/quire.h>
#include <stdio.h>

#include "../commit.h"
#include "command/host.h"
#include "gpu.h"

enum { RELEASE, COMMIT, BUILT_BY, JUDGE, CPU, GPU, DATE, COMMAND };

#define VALUE_SIZE sizeof((fact *)0)->value

void head_find(head *h, int argc, char **argv) {
    static const char *const names[FACTS] = {
        "version", "commit", "compiler", "judge", "cpu", "gpu", "date", "command"
    };
    for (int i = 0; i < FACTS; i++) h->one[i].name = names[i];
    snprintf(h->one[RELEASE].value, VALUE_SIZE, "quire %s", quire_version());
    snprintf(h->one[COMMIT].value, VALUE_SIZE, "%s", QUIRE_COMMIT);
    host_compiler(h->one[BUILT_BY].value, VALUE_SIZE);
    snprintf(h->one[JUDGE].value, VALUE_SIZE, "MPFR %s", mpfr_get_version());
    host_cpu(h->one[CPU].value, VALUE_SIZE);
    host_date(h->one[DATE].value, VALUE_SIZE);
    host_command(h->one[COMMAND].value, VALUE_SIZE, argc, argv);
}

void head_find_gpu(head *h) { gpu_describe(h->one[GPU].value, VALUE_SIZE); }
