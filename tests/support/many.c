/* many.c - see many.h. */
#include "many.h"

#include <stdio.h>
#include <string.h>

#include "place.h"
#include "support.h"

quire_reduction draw_reduction(generator *g) {
    quire_reduction what;
    memset(&what, 0, sizeof what);
    what.operation = operation_number((operation)generator_below(g, OPERATION_EVERY));
    what.type = TYPES[generator_below(g, TYPE_COUNT)];
    what.result_type = TYPES[generator_below(g, TYPE_COUNT)];
    what.method = METHODS[generator_below(g, METHOD_COUNT)];
    what.rounding = (quire_rounding)generator_below(g, QUIRE_TOWARD_ZERO + 1);
    if (operation_is_exact(what.operation)) {
        what.method = QUIRE_EXACT;
        what.correction = generator_between(g, -1, 2);
    }
    return what;
}

/* Half of the time what most users have. */
family draw_family(generator *g) {
    return generator_below(g, 2) ? FAMILY_NORMAL : (family)generator_below(g, FAMILY_COUNT);
}

uint64_t draw_special(generator *g, quire_type type) {
    const uint64_t sign = generator_below(g, 2) ? type_sign(type) : 0;
    switch (generator_below(g, 5)) {
    case 0: return type_nan(type) | sign;
    case 1: return (type_has_infinity(type) ? type_infinity(type) : type_nan(type)) | sign;
    case 2: return type_greatest(type) | sign;
    case 3: return 1 | sign; /* the least subnormal */
    default: return sign;
    }
}

void copy_element(quire_type type, void *to, size_t i, const void *from, ptrdiff_t at) {
    const size_t size = type_size(type);
    memcpy((char *)to + i * size, (const char *)from + at * (ptrdiff_t)size, size);
}

static size_t reach(ptrdiff_t stride, size_t count) {
    return count > 1 ? (count - 1) * (size_t)(stride < 0 ? -stride : stride) : 0;
}

static size_t below(ptrdiff_t stride, size_t count) { return stride < 0 ? reach(stride, count) : 0; }

size_t layout_elements(const quire_layout *l, size_t *origin) {
    *origin = 0;
    if (!l->outer || !l->n || !l->inner) return 0;
    *origin = below(l->outer_stride, l->outer) + below(l->stride, l->n) + below(l->inner_stride, l->inner);
    return 1 + reach(l->outer_stride, l->outer) + reach(l->stride, l->n) + reach(l->inner_stride, l->inner);
}

uint64_t single_call(const quire_reduction *what, size_t n, const void *x, const void *y) {
    const quire_layout one = { 1, n, 1, 0, 1, 0 };
    uint64_t result = 0;
    check_ok(place_layouts(what, &one, x, &one, y, &result));
    return type_load(what->result_type ? what->result_type : what->type, &result, 0);
}

const char *reduction_text(const quire_reduction *what) {
    static char text[120];
    operation which = OPERATION_SUM;
    while (which < OPERATION_EVERY && operation_number(which) != what->operation) which = (operation)(which + 1);
    snprintf(text, sizeof text, "%s %s of %s to %s, rounding %d", method_name(what->method), operation_name(which),
             type_name(what->type), type_name(what->result_type), (int)what->rounding);
    return text;
}
