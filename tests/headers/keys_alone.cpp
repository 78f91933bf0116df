/* quire/keys.h with nothing before it, as C++; twice, for its include guard. */
#include <quire/keys.h>

/* Again. */
#include <quire/keys.h>

quire_layout header_keys(size_t rows, size_t n);

quire_layout header_keys(size_t rows, size_t n) { return quire_rows(rows, n, (ptrdiff_t)n); }
