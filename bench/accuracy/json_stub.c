/* json_stub.c - in place of json.c where jansson is missing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command/terminal.h"
#include "many.h"
#include "report.h"

bool json_open(const char *path) {
    (void)path;
    return complain("--json: this quire-accuracy was built without jansson");
}

bool json_write(const report *r) {
    (void)r;
    return false;
}

bool json_write_many(const many_report *r) {
    (void)r;
    return false;
}
