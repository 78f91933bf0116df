/* facts.c - version, commit, compiler, processor, tier, device, peers, what is left out, date, command.
 *
 * SPDX-License-Identifier: MIT
 */
#include "facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "commit.h"
#include "contender.h"
#include "place.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

enum { VERSION, COMMIT, BUILT_BY, CPU, TIER, GPU, PEERS, LEFT_OUT, DATE, COMMAND };

static const char *const names[FACTS] = { "version", "commit", "compiler", "cpu",  "tier",
                                          "gpu",     "peers",  "left out", "date", "command" };

#define VALUE_SIZE sizeof((fact *)0)->value

void facts_take_command(facts *f, int argc, char **argv) {
    char *value = f->one[COMMAND].value;
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    size_t length = 0;
    value[0] = '\0';
    for (int i = 0; i < argc && length < VALUE_SIZE; i++)
        length +=
            (size_t)snprintf(value + length, VALUE_SIZE - length, "%s%s", i ? " " : "", !i && slash ? slash + 1 : argv[i]);
}

static char peers[VALUE_SIZE], left_out[VALUE_SIZE];

static void note(char *list, const char *format, va_list arguments) {
    const size_t length = strlen(list);
    const int added = snprintf(list + length, VALUE_SIZE - length, "%s", length ? "; " : "");
    const size_t end = length + (size_t)added;
    if (end < VALUE_SIZE) vsnprintf(list + end, VALUE_SIZE - end, format, arguments);
}

void note_peer(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note(peers, format, arguments);
    va_end(arguments);
}

void note_left_out(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note(left_out, format, arguments);
    va_end(arguments);
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

void facts_find(facts *f, const options *o) {
    const time_t now = time(NULL);
    for (int i = 0; i < FACTS; i++) f->one[i].name = names[i];
    snprintf(f->one[VERSION].value, VALUE_SIZE, "quire %s", quire_version());
    snprintf(f->one[COMMIT].value, VALUE_SIZE, "%s", QUIRE_COMMIT);
    snprintf(f->one[BUILT_BY].value, VALUE_SIZE, "%s; baseline with %s", COMPILER, QUIRE_BASELINE_FLAGS);
    find_cpu(f->one[CPU].value);
    snprintf(f->one[TIER].value, VALUE_SIZE, "%s", quire_tier_name(contenders_tier(o)));
    gpu_describe(f->one[GPU].value, VALUE_SIZE);
    snprintf(f->one[PEERS].value, VALUE_SIZE, "%s", peers[0] ? peers : "none");
    snprintf(f->one[LEFT_OUT].value, VALUE_SIZE, "%s", left_out[0] ? left_out : "nothing");
    strftime(f->one[DATE].value, VALUE_SIZE, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
}
