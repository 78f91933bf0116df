/* head.c - version, commit, compiler, MPFR, processors, date, command.
 *
 * SPDX-License-Identifier: MIT
 */
#include "head.h"

#include <mpfr.h>
#include <quire/quire.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../commit.h"
#include "gpu.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

enum { RELEASE, COMMIT, BUILT_BY, JUDGE, CPU, GPU, DATE, COMMAND };

#define VALUE_SIZE sizeof((fact *)0)->value

static void join_command(char *value, int argc, char **argv) {
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    size_t length = 0;
    value[0] = '\0';
    for (int i = 0; i < argc && length < VALUE_SIZE; i++)
        length +=
            (size_t)snprintf(value + length, VALUE_SIZE - length, "%s%s", i ? " " : "", !i && slash ? slash + 1 : argv[i]);
}

static void find_cpu(char *value) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    struct utsname name;
    char line[256], model[200] = "";
    while (file && !model[0] && fgets(line, sizeof line, file)) sscanf(line, "model name : %199[^\n]", model);
    if (file) fclose(file);
    if (!model[0] && !uname(&name)) snprintf(model, sizeof model, "%.199s", name.machine);
    snprintf(value, VALUE_SIZE, "%s, %ld processors", model[0] ? model : "unknown", sysconf(_SC_NPROCESSORS_ONLN));
}

void head_find(head *h, int argc, char **argv) {
    static const char *const names[FACTS] = { "version", "commit", "compiler", "judge", "cpu", "gpu", "date", "command" };
    const time_t now = time(NULL);
    for (int i = 0; i < FACTS; i++) h->one[i].name = names[i];
    snprintf(h->one[RELEASE].value, VALUE_SIZE, "quire %s", quire_version());
    snprintf(h->one[COMMIT].value, VALUE_SIZE, "%s", QUIRE_COMMIT);
    snprintf(h->one[BUILT_BY].value, VALUE_SIZE, "%s", COMPILER);
    snprintf(h->one[JUDGE].value, VALUE_SIZE, "MPFR %s", mpfr_get_version());
    find_cpu(h->one[CPU].value);
    gpu_describe(h->one[GPU].value, VALUE_SIZE);
    strftime(h->one[DATE].value, VALUE_SIZE, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    join_command(h->one[COMMAND].value, argc, argv);
}
