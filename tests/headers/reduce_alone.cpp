/* quire/reduce.h with nothing before it, as C++; twice, for its include guard. */
#include <quire/reduce.h>

/* Again. */
#include <quire/reduce.h>

quire_layout header_reduce(size_t rows, size_t n);

quire_layout header_reduce(size_t rows, size_t n) { return quire_rows(rows, n, (ptrdiff_t)n); }
