/* quire.h with nothing before it, as C; twice, for its include guard. It has all that the headers beside it have. */
#include <quire/quire.h>

/* Again. */
#include <quire/quire.h>

quire_status header_quire(const quire_accumulator *a, const float *rows, float *sums, double *total);

quire_status header_quire(const quire_accumulator *a, const float *rows, float *sums, double *total) {
    const quire_layout layout = quire_rows(3, 4, 4);
    quire_reduction sum = { QUIRE_SUM, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const quire_status status = quire_reduce(NULL, &sum, &layout, rows, NULL, NULL, sums);
    return status || quire_api_version() != QUIRE_API_VERSION ? status : quire_round(a, QUIRE_F64, total);
}
