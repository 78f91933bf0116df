/* quire/pairs.h with nothing before it, as C++; twice, for its include guard. */
#include <quire/pairs.h>

/* Again. */
#include <quire/pairs.h>

quire_status header_pairs(const quire_reduction *what, const quire_accumulator *sums, double *result);

quire_status header_pairs(const quire_reduction *what, const quire_accumulator *sums, double *result) {
    return quire_finish_pair(what, &sums[0], &sums[1], &sums[2], &sums[3], &sums[4], result);
}
