/* fuzz_command.c - the command's verbs on a file of any bytes: running sums, averages and their like, rows, segments
 * and keys. The first byte is a command line, the second how many 16ths of the rest are a second file.
 *
 * A call that fails has said why once, and printed no result; one that succeeds has not. The last running sum is the
 * sum, also that of each key.
 *
 * SPDX-License-Identifier: MIT
 */
#define main command_main
#include "../../src/cli/main.c"
#undef main

#include <unistd.h>

#include "fuzz.h"

#define WORDS 16

/* F and G are the files. Those with a second line have one whose output is compared with theirs. */
static const struct {
    const char *line, *same;
} lines[] = {
    { "cumsum F --result f64", "sum F --result f64" },
    { "cumsum --column 2 F --result f64", "sum --column 2 F --result f64" },
    { "cumsum --column 2 --by 1 F --result f64", "sum --column 2 --by 1 F --result f64" },
    { "cumsum --column x --by k F --result f64", "sum --column x --by k F --result f64" },
    { "cumsum --exclusive --column 1 --by 2 F --verbose", NULL },
    { "cumsum --axis 0 F --json", NULL },
    { "cumsum --axis -1 F --exclusive --rounding up", NULL },
    { "cumsum --type i16 F --result f32", NULL },
    { "cumsum --column 2 --by 1 F --json", NULL },
    { "average F --weights G", NULL },
    { "average --column 1,2 F --rounding down", NULL },
    { "average --column 2,3 --by 1 F", NULL },
    { "average --axis 0 F --weights G --json", NULL },
    { "covariance --column 1,2 F --correction 1", NULL },
    { "correlation --column 2,3 --by 1 F --json", NULL },
    { "covariance --rows 2 F G", NULL },
    { "correlation F G --result f16", NULL },
    { "sum --column 2 --by 1 F", NULL },
    { "sum --column x --by k F --json", NULL },
    { "variance --column 2 --by 1 F --verbose", NULL },
    { "dot --column 2,3 --by 1 F --method kahan", NULL },
    { "sum --rows 2 F", NULL },
    { "asum --rows 3 F --json", NULL },
    { "sum --segments G F", NULL },
    { "mean --segments G F --result f32 --json", NULL },
    { "sum --axis 0 F --method plain", NULL },
    { "stddev --axis 1 F", NULL },
    { "sum --type u64 --rows 2 F", NULL },
    { "nrm2 --decimal , --column 2 --by 1 F", NULL },
    { "sum --missing nan --column 2 --by 1 F --threads 1", NULL },
    { "sum F G --total", NULL },
    { "describe F --json", NULL },
    { "covariance --column 1,2,3 F --skip-nan --verbose", NULL },
    { "correlation --column 3,x,1,2 F --missing skip --json", NULL },
    { "describe --column 2 --by 1 F", NULL },
    { "describe --column x --by k F --json", NULL },
};

/* Runs one line; its output, to be freed, or NULL. */
static char *run_line(const char *line, const char *first, const char *second) {
    char words[256], *argument[WORDS + 1] = { (char[]){ "quire" } }, *output = NULL, names[2][64];
    size_t length = 0;
    int count = 1;
    snprintf(words, sizeof words, "%s", line);
    snprintf(names[0], sizeof names[0], "%s", first);
    snprintf(names[1], sizeof names[1], "%s", second);
    for (char *word = strtok(words, " "); word && count < WORDS; word = strtok(NULL, " "))
        argument[count++] = !strcmp(word, "F") ? names[0] : !strcmp(word, "G") ? names[1] : word;
    FILE *standard = stdout, *memory = open_memstream(&output, &length);
    REQUIRE(memory);
    complaints = 0;
    optind = 0; /* getopt begins anew */
    stdout = memory;
    const int status = run(count, argument);
    stdout = standard;
    fclose(memory);
    REQUIRE(status == EXIT_FINE || status == EXIT_TROUBLE || status == EXIT_USAGE);
    REQUIRE(complaints == (status ? 1 : 0));
    if (!status) return output;
    REQUIRE(!length || !strcmp(output, "[]\n")); /* JSON of no reports */
    free(output);
    return NULL;
}

/* The key of a line, if keyed, and what follows it. */
static size_t key_length(const char *line, size_t length) {
    int tabs = 0;
    while (length > 0)
        if (line[--length] == '\t' && ++tabs == 2) return length;
    return 0;
}

/* The last line that begins with the same key. */
static const char *last_of(const char *text, const char *line, size_t key, bool keyed) {
    const char *found = NULL;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        if (!keyed || (key_length(text, length) == key && !memcmp(text, line, key))) found = text;
        text += length + (text[length] == '\n');
    }
    return found;
}

/* Each line of sums is the last of its key among the running ones; without keys there may be no elements. */
static void compare(const char *running, const char *sums, bool keyed) {
    if (!*running && !keyed) return;
    while (*sums) {
        const size_t length = strcspn(sums, "\n");
        const char *last = last_of(running, sums, keyed ? key_length(sums, length) : 0, keyed);
        REQUIRE(last && strcspn(last, "\n") == length && !memcmp(last, sums, length));
        sums += length + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char paths[2][64];
    struct source source;
    if (size < 2) return 0;
    const size_t which = data[0] % (sizeof lines / sizeof *lines), rest = size - 2, part = rest * (data[1] % 17) / 16;
    const int fd[2] = { fuzz_file(data + 2, rest - part, &source), fuzz_file(data + 2 + rest - part, part, &source) };
    for (int i = 0; i < 2; i++) snprintf(paths[i], sizeof paths[i], "/proc/self/fd/%d", fd[i]);
    char *output = run_line(lines[which].line, paths[0], paths[1]);
    if (output && lines[which].same && !memchr(data, '"', size)) { /* a key in quotes may have more than one line */
        char *sums = run_line(lines[which].same, paths[0], paths[1]);
        if (sums) compare(output, sums, strstr(lines[which].same, "--by") != NULL);
        free(sums);
    }
    free(output);
    close(fd[0]);
    close(fd[1]);
    return 0;
}
