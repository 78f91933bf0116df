/* methods.c - quire_open_cuda's contexts behind the reducer's face.
 *
 * SPDX-License-Identifier: MIT
 */
#include "methods.h"

#include <stdlib.h>

#include "number.h"

#define OTHER_LAUNCH "37,2" /* blocks and warps that no policy takes by itself */
#define UNKNOWN_ERROR 999   /* cudaErrorUnknown; quire_status does not tell which */

typedef struct own {
    quire_method method;
    quire_context **context;
} own;

static quire_context *usual, *unusual;

/* Moments are exact's alone. */
static bool takes(const reducer *r, const job *j) {
    const own *mine = r->own;
    return j->result_type == accumulation_type(j->type) &&
           (mine->method == QUIRE_EXACT || !operation_is_moment(j->operation));
}

static size_t workspace(const reducer *r, const job *j) {
    (void)r, (void)j;
    return 0; /* a context has its own */
}

static int enqueue(const reducer *r, const job *j, void *memory, void *result, void *stream) {
    const own *mine = r->own;
    (void)memory, (void)stream; /* the stream is the context's */
    return job_reduce(*mine->context, j, mine->method, result) ? UNKNOWN_ERROR : 0;
}

#define METHOD(method, context)                                                                                        \
    {                                                                                                                  \
        "quire", "quire", takes, workspace, enqueue, false, &(const own) { method, &context }                          \
    }

static const reducer reducers[2][METHOD_COUNT] = {
    { METHOD(QUIRE_EXACT, usual), METHOD(QUIRE_KAHAN, usual), METHOD(QUIRE_PAIRWISE, usual),
      METHOD(QUIRE_PLAIN, usual) },
    { METHOD(QUIRE_EXACT, unusual), METHOD(QUIRE_KAHAN, unusual), METHOD(QUIRE_PAIRWISE, unusual),
      METHOD(QUIRE_PLAIN, unusual) },
};

const reducer *methods_reducer(quire_method method, bool other_launch) {
    return &reducers[other_launch][method - QUIRE_EXACT];
}

const char *methods_open(void *stream) {
    const char *set = getenv("QUIRE_CUDA_LAUNCH");
    quire_status status = quire_open_cuda(&usual, 0, stream);
    if (!set) setenv("QUIRE_CUDA_LAUNCH", OTHER_LAUNCH, 1); /* read when a context is opened */
    if (!status) status = quire_open_cuda(&unusual, 0, stream);
    if (!set) unsetenv("QUIRE_CUDA_LAUNCH");
    return status ? quire_status_string(status) : NULL;
}

void methods_close(void) {
    quire_close(usual);
    quire_close(unusual);
    usual = unusual = NULL;
}
