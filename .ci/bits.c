/* bits.c - prints the bits of many results, for one architecture to be compared with another. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "families.h"

typedef quire_status (*reduction)(quire_context *, quire_type, size_t, const void *, quire_method, quire_type, void *);

static void print(const char *operation, family which, quire_type type, size_t n, quire_method method, quire_type to,
                  const void *result) {
    printf("%s %s %s %zu %s %s %016" PRIx64 "\n", operation, family_name(which), type_name(type), n,
           method_name(method), type_name(to), type_load(to, result, 0));
}

int main(void) {
    static const size_t lengths[] = { 1, 100, 4097, 9000 };
    static const char *const names[] = { "sum", "asum", "nrm2", "mean" };
    static const reduction calls[] = { quire_sum, quire_asum, quire_nrm2, quire_mean };
    static double x[9000], y[9000];
    for (int which = 0; which < FAMILY_COUNT; which++)
        for (int t = 0; t < TYPE_COUNT; t++)
            for (int l = 0; l < 4; l++)
                for (int m = 0; m < METHOD_COUNT; m++) {
                    double result = 0;
                    family_fill_pair((family)which, TYPES[t], 7, lengths[l], x, y);
                    for (int r = 0; r < TYPE_COUNT; r++) {
                        for (int c = 0; c < 4; c++) {
                            if (calls[c](NULL, TYPES[t], lengths[l], x, METHODS[m], TYPES[r], &result)) return 1;
                            print(names[c], (family)which, TYPES[t], lengths[l], METHODS[m], TYPES[r], &result);
                        }
                        if (quire_dot(NULL, TYPES[t], lengths[l], x, y, METHODS[m], TYPES[r], &result)) return 1;
                        print("dot", (family)which, TYPES[t], lengths[l], METHODS[m], TYPES[r], &result);
                    }
                }
    return 0;
}
