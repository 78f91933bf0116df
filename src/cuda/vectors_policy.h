/* vectors_policy.h - how many vectors at once are shared out and launched, as data. Nothing here can show in a result.
 * The GPU and the day are those of the trials in docs/notebook/gpu.md.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_VECTORS_POLICY_H
#define QUIRE_CUDA_VECTORS_POLICY_H

/* kernels/ordered_vectors.cuh. H200, 2026-11-29. */
#define VECTORS_THREADS 256      /* of a block */
#define VECTORS_BLOCKS 3         /* of a multiprocessor, that registers are to leave room for */
#define VECTORS_PRODUCT_BLOCKS 2 /* the same of products */
#define VECTORS_WARPS 24         /* of a multiprocessor, that are at work at once, about */
#define VECTORS_WAVES 4          /* of blocks, at most; they take more units in turn */
#define COLUMNS_LEAST 8          /* vectors side by side, from which on they are columns at all */

/* kernels/ordered_rows.cuh. H200, 2026-11-28, 1 GiB. */
#define ORDERED_THREADS 256   /* of a block */
#define ORDERED_BLOCKS 3      /* of a multiprocessor, that registers are to leave room for */
#define ORDERED_PAIR_BLOCKS 2 /* the same of two arrays */
#define ORDERED_WAVES 8       /* of blocks, so that the quicker multiprocessors take more of them */
#define ORDERED_LOADS 4       /* of a thread, that are under way together */
#define ORDERED_FEW 2         /* groups of threads for a row, from which on it is cut into parts, */
#define ORDERED_PART_WAVES 4  /* some for every group */
#define ORDERED_SHORT 8       /* chunks of 16 bytes of a row, up to which a thread has one alone */

/* kernels/exact_rows.cuh. H200, 2026-11-28, 1 GiB. */
#define GROUPS_THREADS 256      /* of a block */
#define GROUPS_BLOCKS 3         /* of a multiprocessor, that registers are to leave room for */
#define GROUPS_WIDE_BLOCKS 2    /* the same, where sums are wider than two ends */
#define GROUPS_WAVES 8          /* of blocks, so that the quicker multiprocessors take more of them */
#define GROUPS_LOADS 8          /* of a thread, that are under way together */
#define GROUPS_SLOTS 4          /* of a thread, in a row, where its warp has several rows under way */
#define GROUPS_FEW_CHUNKS 16    /* of 16 bytes of a row, up to which a thread may have fewer */
#define GROUPS_CHUNKS 64        /* of 16 bytes of a row, up to which its warp has several rows under way */
#define GROUPS_LONG 8           /* threads that share a longer row, at least */
#define STRIDED_LOADS 16        /* elements of a thread that are loaded one by one, together */
#define ASIDE_PART_LEAST 16384  /* elements of a long segment, for each of the blocks that share it, about */
#define STRIDED_PART_LEAST 1024 /* elements of a strided vector, for each of its parts */
#define GROUPS_SHARE 144     /* bytes of a staged row that a thread has, at most: 33 elements of four, and a few more */
#define ROWS_FEW 32768       /* bytes of a row that one warp may take even where there are few rows */
#define ROWS_FULL 88         /* percent of the places of all waves that rows fill, from which on they are not cut */
#define ROWS_MORE_PARTS 32   /* parts of a row beyond the fewest, for waves to be full */
#define ROWS_PART_LEAST 8192 /* elements of a row for each of its parts, or begun ones */
#define ROWS_PART_STEP 512   /* elements that a part is a multiple of */
#define ROWS_PART_WAVES 4    /* parts for every warp, so that the quicker multiprocessors take more of them */
#define VECTORS_FULL 96      /* percent of the places of all waves that parts fill, of rows or columns: enough */
#define PARTS_JOINED 512     /* parts of a vector, from which on some are joined to one before all are */
#define PARTS_JOIN 32        /* as many to one */

/* kernels/ordered_array.cuh. H200, 2026-11. */
#define ORDERED_ARRAY_THREADS 256 /* of a block, at most */
#define ORDERED_ARRAY_BLOCKS 3    /* of a multiprocessor, at least, where bounds would take registers for two */
#define ORDERED_ARRAY_SPREAD 2    /* of a multiprocessor, from which on a block adds several tiles at once */
#define ORDERED_ARRAY_MOST 6144   /* groups of tiles, at most */

/* kernels/exact_array.cuh and exact_limbs.cuh. H200, 2026-11-28. */
#define FEW_DOUBLES 8          /* floats that a device adds in the time of a double, from which on it takes none */
#define ARRAY_THREADS 256      /* of a block */
#define ARRAY_BLOCKS 3         /* of a multiprocessor, that registers are to leave room for */
#define ARRAY_WIDE_BLOCKS 2    /* the same, where sums are wider than two ends */
#define ARRAY_MOST 65536       /* blocks, at most */
#define ARRAY_ALONE (64 << 10) /* bytes of an array that one block has alone, at most */
#define ARRAY_LEAST (16 << 10) /* bytes of a block, at least */
#define ARRAY_SHORT 1024       /* elements for each thread that has limbs, up to which one block finds all bits */
#define LIMBS_PART 8192        /* elements of a part, at most; */
#define LIMBS_PART_LEAST 512   /* and at least, and a multiple of that */

/* kernels/scaled.cu. Not tuned yet. */
#define SCALED_THREADS 256       /* of a block */
#define SCALED_BLOCKS 2          /* of a multiprocessor, that registers are to leave room for */
#define SCALED_LEAST (32u << 20) /* bytes of doubles, from which on it is worth a launch that mostly ends at once */
#define SAMPLED_RUNS 16          /* of 32 elements, that say how great the elements of a vector are, about */

/* kernels/by_element.cuh. H200, 2026-11-29. */
#define ELEMENT_THREADS 128 /* of a block */
#define ELEMENT_BLOCKS 4    /* of a multiprocessor, that registers are to leave room for */
#define ASIDE_WAVES 4       /* of blocks, for long segments */
#define ELEMENT_WAVES 4     /* of blocks, at most, where threads of a warp share vectors */
#define ELEMENTS_LONG 2048  /* of a vector that whole blocks share, from here on */
#define AGAIN_ELEMENTS 16   /* of a marked vector, for each of the threads that share it, about */
#define AGAIN_COLUMN 128    /* elements of a marked column, up to which threads share it; not tuned yet */

/* kernels/exact_columns.cuh, of blocks of PANEL_THREADS. H200, 2026-11-29, 1 GiB. */
#define COLUMNS_BLOCKS 2            /* of a multiprocessor, that registers are to leave room for, mostly */
#define COLUMNS_SHORT 64            /* rows from which on columns need not stand at multiples of 16 bytes */
#define COLUMNS_SPREAD 2            /* units of a block, about, where rows are parted for all blocks to have some */
#define COLUMNS_PART_LEAST 64       /* rows of a thread, at least, where rows are parted */
#define COLUMNS_PART_MOST (1 << 30) /* rows of a part */

/* kernels/ordered_columns.cuh. H200, 2026-11-28, 1 GiB. */
#define PANEL_THREADS 256    /* of a block, at most */
#define PANEL_BLOCKS 3       /* of a multiprocessor, that registers are to leave room for, at most */
#define PANEL_CHUNKS 8       /* of a panel, at most, where rows stand at lines of memory: a line */
#define PANEL_CHUNKS_MOST 32 /* and where they do not */
#define PANEL_LOADS_LOG 3    /* of a thread, that are under way together: 2^this */
#define PANEL_JOIN 32        /* parts of a column that become one at a time, at most */
#define PANEL_SPREAD 16      /* blocks for every multiprocessor, about, that there are to be */
#define PANEL_SHORT 32       /* elements of a column, and PANEL_NARROW columns of a row: so few are loaded one by one */
#define PANEL_NARROW 65      /* where rows stand at no multiples of 16 bytes. H200, 2026-11-30, 256 MiB */
#define PANEL_WAVES 32       /* blocks of a multiprocessor, at most; they take more parts in turn */

/* kernels/exact_segments.cuh; long segments and bundles are ordered_vectors.cuh's, too. H200, 2026-11-30, 1 GiB. */
#define LONG_SEGMENT (1 << 15)  /* elements of a segment that is cut, from here on */
#define SEGMENTS_THREADS 64     /* of a block: few, for it ends with the warp that has the longest segments */
#define SEGMENTS_BLOCKS 16      /* of a multiprocessor, that registers are to leave room for */
#define SEGMENTS_WIDE_BLOCKS 12 /* the same, where sums are wider than two ends, or of two arrays */
#define SEGMENTS_BUNDLES 4      /* of segments, for every warp at work, at least, if there are so many segments */
#define SEGMENTS_WAVES 8        /* of blocks, so that the quicker multiprocessors take more of them */
#define SEGMENTS_SINGLE 8       /* elements of a segment, up to which they are loaded one by one */
#define SEGMENTS_CHUNKS 2       /* of 16 bytes of a segment, up to which it is not worth a copy */
#define SEGMENTS_ROOM 4096      /* bytes of a warp, for segments side by side, with their gaps: no page fits these; */
#define SEGMENTS_COPIED 2048    /* and of one of these, at most, */
#define SEGMENTS_SHARERS_LOG 4  /* which 2^this threads share, at most, */
#define SEGMENTS_SHARE 512      /* so that each has as many bytes of it, or a few more */
#define SEGMENTS_OF_ONE 128     /* bytes of a segment that a thread has alone, at most; */
#define SEGMENTS_OF_FOUR 512    /* of one that four threads share, */
#define SEGMENTS_OF_EIGHT 4096  /* and of one that eight do: beyond that all of a warp */

#endif
