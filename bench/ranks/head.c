/* head.c - what a run was made with and on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "head.h"

#include <quire/quire.h>

#include "command/host.h"
#include "commit.h"

void write_head(FILE *to, int argc, char **argv) {
    char compiler[128], cpu[256], date[64], command[1024];
    host_compiler(compiler, sizeof compiler);
    host_cpu(cpu, sizeof cpu);
    host_date(date, sizeof date);
    host_command(command, sizeof command, argc, argv);
    fprintf(to, "# version: quire %s\n# commit: %s\n# compiler: %s\n", quire_version(), QUIRE_COMMIT, compiler);
    fprintf(to, "# cpu: %s\n# date: %s\n# command: %s\n", cpu, date, command);
}
