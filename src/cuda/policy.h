/* policy.h - how kernels are launched, as data. Nothing here can show in a result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_POLICY_H
#define QUIRE_CUDA_POLICY_H

/* The methods of the canonical order. Measured on an H200, 2026-11 (docs/performance-cuda.md). RING_BYTES: from how many on
 * they take ring.cuh; a block then takes RING_LEAST at least, and up to RING_GROUP if that leaves RING_GROUPS groups. */
#define LANE_GROUPS 4096        /* the most groups of tiles, a block each, that they cut an array into                   */
#define RUN_MOST (1u << 30)     /* and the most tiles of a group                                                         */
#define OVERLAP_BYTES (4 << 20) /* up to how many bytes the next kernel is let start before this one has ended           */
#define RING_BYTES (32 << 20)
#define RING_LEAST (64 << 10)
#define RING_GROUP (256 << 10)
#define RING_GROUPS 512

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
