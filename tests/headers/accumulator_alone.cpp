/* quire/accumulator.h with nothing before it, as C++; twice, for its include guard. */
#include <quire/accumulator.h>

/* Again. */
#include <quire/accumulator.h>

typedef char
    the_accumulator_is_its_words[sizeof(quire_accumulator) == QUIRE_ACCUMULATOR_WORDS * sizeof(int64_t) ? 1 : -1];

quire_accumulator header_accumulator();

quire_accumulator header_accumulator() {
    quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    return zero;
}

/* Said again with C linkage: were the header without its extern "C", this would conflict. */
extern "C" quire_status quire_merge(quire_accumulator *into, const quire_accumulator *from);
