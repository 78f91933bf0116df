/* host.c - what /proc, uname and the compiler tell.
 *
 * SPDX-License-Identifier: MIT
 */
#include "host.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

void host_compiler(char *value, size_t size) { snprintf(value, size, "%s", COMPILER); }

void host_cpu(char *value, size_t size) {
    FILE *file = fopen("/proc/cpuinfo", "r");
    struct utsname name;
    char line[256], model[200] = "";
    while (file && !model[0] && fgets(line, sizeof line, file)) sscanf(line, "model name : %199[^\n]", model);
    if (file) fclose(file);
    if (!model[0] && !uname(&name)) snprintf(model, sizeof model, "%.199s", name.machine);
    snprintf(value, size, "%s, %ld processors", model[0] ? model : "unknown", sysconf(_SC_NPROCESSORS_ONLN));
}

void host_date(char *value, size_t size) {
    const time_t now = time(NULL);
    strftime(value, size, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
}

void host_command(char *value, size_t size, int argc, char **argv) {
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    size_t length = 0;
    value[0] = '\0';
    for (int i = 0; i < argc && length < size; i++)
        length +=
            (size_t)snprintf(value + length, size - length, "%s%s", i ? " " : "", !i && slash ? slash + 1 : argv[i]);
}

size_t host_free_memory(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    unsigned long long kilobytes;
    size_t bytes = SIZE_MAX;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1) bytes = (size_t)kilobytes * 1024;
    if (file) fclose(file);
    return bytes;
}
