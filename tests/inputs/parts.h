/* parts.h - how the suites of ranks share elements between ranks: in one of SPLITS ways. */
#ifndef QUIRE_TESTS_PARTS_H
#define QUIRE_TESTS_PARTS_H

#include <stddef.h>
#include <stdint.h>

enum { SPLITS = 4 };

/* The r-th smallest of p - 1 cuts of chance. */
static inline size_t random_cut(size_t n, int r, int p) {
    uint64_t mix = 12345 + n;
    size_t cut[64], found = 0;
    for (int i = 0; i + 1 < p; i++) {
        mix = mix * 6364136223846793005u + 1442695040888963407u;
        cut[i] = (size_t)(mix >> 33) % (n + 1);
    }
    for (int i = 0; i + 1 < p; i++) {
        size_t below = 0, same = 0;
        for (int k = 0; k + 1 < p; k++) below += cut[k] < cut[i], same += cut[k] == cut[i];
        if (below < (size_t)r && (size_t)r <= below + same) found = cut[i];
    }
    return found;
}

/* Where rank r's part of n elements begins, of p parts: evenly; all on the last; in parts of chance, some empty; every
 * second empty. */
static inline size_t part_begin(size_t n, int r, int p, int split) {
    if (r <= 0) return 0;
    if (r >= p) return n;
    if (split == 0) return n * (size_t)r / (size_t)p;
    if (split == 1) return 0;
    if (split == 3) return n * (size_t)((r + 1) / 2) / (size_t)((p + 1) / 2);
    return random_cut(n, r, p);
}

#endif
