/* quire/scan.h with nothing before it, as C; twice, for its include guard. */
#include <quire/scan.h>

/* Again. */
#include <quire/scan.h>

quire_layout header_scan(size_t rows, size_t n);

quire_layout header_scan(size_t rows, size_t n) { return quire_rows(rows, n, (ptrdiff_t)n); }
