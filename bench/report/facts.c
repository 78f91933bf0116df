/* facts.c - version, commit, compiler, processor, tier, device, peers, what is left out, date, command.
 *
 * SPDX-License-Identifier: MIT
 */
#include "facts.h"

#include <stdio.h>

#include "command/host.h"
#include "commit.h"
#include "contenders/contender.h"
#include "places/place.h"

enum { VERSION, COMMIT, BUILT_BY, CPU, TIER, GPU, PEERS, LEFT_OUT, DATE, COMMAND };

static const char *const names[FACTS] = { "version", "commit", "compiler", "cpu",  "tier",
                                          "gpu",     "peers",  "left out", "date", "command" };

#define VALUE_SIZE sizeof((fact *)0)->value

void facts_take_command(facts *f, int argc, char **argv) {
    host_command(f->one[COMMAND].value, VALUE_SIZE, argc, argv);
}

void facts_find(facts *f, const options *o) {
    char compiler[128];
    host_compiler(compiler, sizeof compiler);
    for (int i = 0; i < FACTS; i++) f->one[i].name = names[i];
    snprintf(f->one[VERSION].value, VALUE_SIZE, "quire %s", quire_version());
    snprintf(f->one[COMMIT].value, VALUE_SIZE, "%s", QUIRE_COMMIT);
    snprintf(f->one[BUILT_BY].value, VALUE_SIZE, "%s; baseline with %s", compiler, QUIRE_BASELINE_FLAGS);
    host_cpu(f->one[CPU].value, VALUE_SIZE);
    snprintf(f->one[TIER].value, VALUE_SIZE, "%s", quire_tier_name(contenders_tier(o)));
    gpu_describe(f->one[GPU].value, VALUE_SIZE);
    snprintf(f->one[PEERS].value, VALUE_SIZE, "%s", notes_of_peers()[0] ? notes_of_peers() : "none");
    snprintf(f->one[LEFT_OUT].value, VALUE_SIZE, "%s", notes_of_left_out()[0] ? notes_of_left_out() : "nothing");
    host_date(f->one[DATE].value, VALUE_SIZE);
}
