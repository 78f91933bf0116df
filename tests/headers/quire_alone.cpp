/* quire.h with nothing before it, as C++: the same as in C. */
#include "quire_alone.c"

/* Said again with C linkage: were the header without its extern "C", these would conflict. */
extern "C" float quire_sumf(const float *x, size_t n);
extern "C" quire_status quire_merge(quire_accumulator *into, const quire_accumulator *from);
