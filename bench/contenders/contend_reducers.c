/* contend_reducers.c - reducers of the GPU, whoever wrote them, as contenders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "contender.h"
#include "reducer.h"

bool reducer_takes(const reducer *r, job *j) {
    if (r->takes(r, j)) return true;
    j->result_type = j->type;
    return r->takes(r, j);
}

void contenders_add_reducers(contenders *all, role role, const reducer *list, int count) {
    for (int i = 0; i < count; i++) contenders_add(all, role, list[i].name)->reducer = &list[i];
}
