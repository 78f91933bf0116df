/* quire.h with nothing before it, as C++; twice, for its include guard. It has all that the headers beside it have. */
#include <quire/quire.h>

/* Again. */
#include <quire/quire.h>

quire_status header_quire(const quire_accumulator *a, const float *rows, float *sums, double *total);

quire_status header_quire(const quire_accumulator *a, const float *rows, float *sums, double *total) {
    const quire_layout layout = quire_rows(3, 4, 4);
    quire_reduction sum = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_status status = quire_reduce(nullptr, &sum, &layout, rows, nullptr, nullptr, sums);
    return status || quire_api_version() != QUIRE_API_VERSION ? status : quire_round(a, QUIRE_F64, total);
}

/* Said again with C linkage: were the header without its extern "C", these would conflict. */
extern "C" float quire_sumf(const float *x, size_t n);
extern "C" quire_status quire_merge(quire_accumulator *into, const quire_accumulator *from);
