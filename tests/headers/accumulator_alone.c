/* quire/accumulator.h with nothing before it, as C; twice, for its include guard. */
#include <quire/accumulator.h>

/* Again. */
#include <quire/accumulator.h>

/* An accumulator is a wire format: exactly its words, no padding, and its initialiser must fill it in C. */
typedef char
    the_accumulator_is_its_words[sizeof(quire_accumulator) == QUIRE_ACCUMULATOR_WORDS * sizeof(int64_t) ? 1 : -1];

quire_accumulator header_accumulator(void);

quire_accumulator header_accumulator(void) {
    quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    return zero;
}
