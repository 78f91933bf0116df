/* fault.c - a fault to be found: linked in front of quire_dot, it spoils the last bit of some results. A check that cannot
 * fail is none, so the tests run quire-accuracy with it, too.
 *
 * SPDX-License-Identifier: MIT
 */
#include <quire/quire.h>

quire_status __real_quire_dot(quire_context *context, quire_type type, size_t n, const void *x, const void *y,
                              quire_method method, quire_type result_type, void *result);
quire_status __wrap_quire_dot(quire_context *context, quire_type type, size_t n, const void *x, const void *y,
                              quire_method method, quire_type result_type, void *result);

quire_status __wrap_quire_dot(quire_context *context, quire_type type, size_t n, const void *x, const void *y,
                              quire_method method, quire_type result_type, void *result) {
    const quire_status status = __real_quire_dot(context, type, n, x, y, method, result_type, result);
    if (!status && type == QUIRE_F32 && result_type == QUIRE_F32 && n > 100) *(uint32_t *)result ^= 1;
    return status;
}
