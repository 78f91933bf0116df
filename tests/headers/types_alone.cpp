/* quire/types.h with nothing before it, as C++; twice, for its include guard. */
#include <quire/types.h>

/* Again. */
#include <quire/types.h>

quire_reduction header_types(quire_context *context, quire_status status);

quire_reduction header_types(quire_context *context, quire_status status) {
    quire_reduction what = { (quire_operation)0, QUIRE_F32, QUIRE_F64, QUIRE_EXACT, QUIRE_UPWARD, 0, { 0 } };
    (void)context, (void)status;
    return what;
}
