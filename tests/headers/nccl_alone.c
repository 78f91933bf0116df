/* quire/nccl.h with nothing before it, as C; twice, for its include guard. */
#include <quire/nccl.h>

/* Again. */
#include <quire/nccl.h>

quire_status header_nccl(const quire_nccl_job *job);

quire_status header_nccl(const quire_nccl_job *job) { return quire_nccl_steps(job, QUIRE_OK); }
