/* json_stub.c - in place of json.c where jansson is missing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command/terminal.h"
#include "report.h"

bool json_begin(const char *path, const facts *f) {
    (void)path, (void)f;
    return complain("--json: this quire-bench was built without jansson");
}

bool json_row(const row *r) {
    (void)r;
    return false;
}

bool json_end(void) { return false; }
