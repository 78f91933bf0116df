/* context.c - what can be done to a context, whatever its backend, and what is linked. SPDX-License-Identifier: MIT */
#include "backend.h"

quire_status quire_set_stream(quire_context *context, struct CUstream_st *stream) {
    return context ? context->backend->set_stream(context, stream) : QUIRE_NULL_POINTER;
}

quire_status quire_set_tier(quire_context *context, quire_tier tier) {
    return context ? context->backend->set_tier(context, tier) : QUIRE_NULL_POINTER;
}

quire_status quire_set_progress(quire_context *context, void (*report)(void *user, size_t done, size_t total),
                                void *user) {
    return context ? context->backend->set_progress(context, report, user) : QUIRE_NULL_POINTER;
}

void quire_close(quire_context *context) {
    if (context) context->backend->close(context);
}

const char *quire_version(void) { return QUIRE_VERSION_STRING; }

int quire_api_version(void) { return QUIRE_API_VERSION; }
