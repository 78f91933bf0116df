/* policy.h - how kernels are launched, as data. Nothing here can show in a result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_POLICY_H
#define QUIRE_CUDA_POLICY_H

#define PARTIALS 4096    /* the most groups of tiles that the methods of the canonical order cut an array into      */
#define LANE_GROUPS 2048 /* how many they are cut into, if there is enough                                          */
#define LANE_WARPS 8     /* the most warps of their blocks                                                          */
#define LANE_LOADS 4     /* 16-byte loads that a thread of theirs has in flight, of each array                      */

/* The launches of the exact kernels, by the bytes of an element (2, 4, 8) and whether there are two arrays. Measured on an
 * H200, 2026-11 (docs/performance.md).
 *   threads  of a block
 *   blocks   of a multiprocessor, at least; what limits registers
 *   vectors  16-byte loads that a thread has in flight, of each array                                                    */
struct exact_policy {
    int threads, blocks, vectors;
};

#define EXACT_POLICY(size, is_pair)                                                                                         \
    ((size) == 8 ? ((is_pair) ? exact_policy{ 128, 2, 4 } : exact_policy{ 128, 3, 8 })                                      \
                 : ((is_pair) ? exact_policy{ 256, 2, 4 } : exact_policy{ 256, 2, 8 }))

#endif
