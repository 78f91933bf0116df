/* quire/mpi_record.h with nothing before it, as C++; twice, for its include guard. */
#include <quire/mpi_record.h>

/* Again. */
#include <quire/mpi_record.h>

typedef char a_record_is_its_words[sizeof(quire_record) == (QUIRE_RECORD_WORDS + 1) * sizeof(uint64_t) ? 1 : -1];

uint64_t header_record(const quire_accumulator *a);

uint64_t header_record(const quire_accumulator *a) { return quire_record_of(a).head; }
