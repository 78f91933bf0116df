/* status.c - statuses in English. SPDX-License-Identifier: MIT */
#include "quire/quire.h"

const char *quire_status_string(quire_status status) {
    switch (status) {
    case QUIRE_OK: return "no error";
    case QUIRE_INVALID_TYPE: return "the type is none that elements have here";
    case QUIRE_INVALID_RESULT_TYPE: return "the result type is none that results have";
    case QUIRE_INVALID_METHOD: return "the method is none there is, or this operation or type has EXACT alone";
    case QUIRE_INVALID_TIER: return "there is no CPU tier of this name or number";
    case QUIRE_INVALID_THREADS: return "the number of threads is negative or too large";
    case QUIRE_INVALID_OPERATION: return "the operation is none of those there are, or a reserved word is not 0";
    case QUIRE_INVALID_ROUNDING: return "the rounding is none of TO_NEAREST, DOWNWARD, UPWARD and TOWARD_ZERO";
    case QUIRE_INVALID_INDEX: return "the type of the offsets is neither I32 nor I64";
    case QUIRE_INVALID_LAYOUT: return "the layouts differ in size, or reach further than memory does";
    case QUIRE_INVALID_MOMENTS: return "the accumulators are not of the same numbers, or no numbers have such sums";
    case QUIRE_NULL_POINTER: return "a pointer that is needed is NULL";
    case QUIRE_MISALIGNED: return "a pointer is not aligned to the size of its element, or a workspace to 256 bytes";
    case QUIRE_SIZE_OVERFLOW: return "n elements are more bytes than memory can hold, or more than the index counts";
    case QUIRE_WRONG_CONTEXT: return "the call does not fit this kind of context";
    case QUIRE_NO_INTEGER: return "there is no such result as an integer of 128 bits";
    case QUIRE_OUT_OF_MEMORY: return "out of memory, or the workspace is too small";
    case QUIRE_TIER_UNAVAILABLE: return "this processor or this build lacks the CPU tier";
    case QUIRE_NO_DEVICE: return "no CUDA device, no driver, or a library built without CUDA";
    case QUIRE_INVALID_DEVICE: return "no CUDA device of this number, or none this build has code for";
    case QUIRE_NOT_DEVICE_MEMORY: return "a pointer is not in memory that the CUDA device can reach";
    case QUIRE_INVALID_STREAM: return "the stream is none of this CUDA device, or is being captured";
    case QUIRE_DEVICE_FAULT: return "the CUDA device reports an error";
    case QUIRE_COMMUNICATION_FAULT: return "a call of MPI or NCCL failed";
    case QUIRE_RANKS_DIFFER: return "ranks passed different arguments where all must pass the same";
    }
    return "unknown status";
}
