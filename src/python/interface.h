// What Python sees of include/quire/, in the words that cffi parses: no preprocessor. The compiler checks every line
// against the headers themselves. Enumerations are plain ints, so that Python passes numbers.

typedef struct {
    int operation, type, result_type, method, rounding;
    int64_t correction;
    int64_t reserved[4];
} quire_reduction;

typedef struct {
    size_t outer, n, inner;
    ptrdiff_t outer_stride, stride, inner_stride;
} quire_layout;

typedef struct {
    int64_t limb[135];
    int64_t count, other, nan, positive_infinity, negative_infinity;
} quire_accumulator;

typedef... quire_context;

const char *quire_status_string(int status);
const char *quire_version(void);
int quire_has_cuda(void);

float quire_sumf(const float *x, size_t n);
double quire_sumd(const double *x, size_t n);

int quire_reduce(quire_context *context, const quire_reduction *what, const quire_layout *x_layout, const void *x,
                 const quire_layout *y_layout, const void *y, void *results);
int quire_reduce_segments(quire_context *context, const quire_reduction *what, size_t segments, int index,
                          const void *begin, const void *end, const void *x, const void *y, void *results);

size_t quire_by_key_workspace(quire_context *context, const quire_reduction *what, size_t groups, int index,
                              const quire_layout *x_layout);
int quire_reduce_by_key(quire_context *context, const quire_reduction *what, size_t groups, int index, const void *keys,
                        const quire_layout *x_layout, const void *x, const quire_layout *y_layout, const void *y,
                        void *results, int64_t *counts, void *workspace, size_t workspace_size);
size_t quire_order_workspace(quire_context *context, size_t groups, int index, size_t n);
int quire_order_by_key(quire_context *context, size_t groups, int index, size_t n, const void *keys, void *order,
                       void *offsets, void *workspace, size_t workspace_size);
int quire_reduce_gathered(quire_context *context, const quire_reduction *what, size_t segments, int index,
                          const void *begin, const void *end, const void *x_order, const quire_layout *x_layout,
                          const void *x, const void *y_order, const quire_layout *y_layout, const void *y,
                          void *results);

int quire_scan(quire_context *context, const quire_reduction *what, int kind, const quire_layout *x_layout,
               const void *x, const quire_layout *results_layout, void *results);

int quire_accumulate(quire_context *context, quire_accumulator *accumulator, int type, size_t n, const void *x);
int quire_accumulate_magnitudes(quire_context *context, quire_accumulator *accumulator, int type, size_t n,
                                const void *x);
int quire_accumulate_products(quire_context *context, quire_accumulator *accumulator, int type, size_t n, const void *x,
                              const void *y);
int quire_merge(quire_accumulator *into, const quire_accumulator *from);
int quire_carry(quire_accumulator *accumulator);
int quire_finish(const quire_reduction *what, const quire_accumulator *sum, const quire_accumulator *squares,
                 void *result);
int quire_round_root(const quire_accumulator *accumulator, int result_type, void *result);

struct CUstream_st;
int quire_open_cuda(quire_context **context, int device, struct CUstream_st *stream);
int quire_set_stream(quire_context *context, struct CUstream_st *stream);
void quire_close(quire_context *context);

int reduce_at(quire_context *context, const quire_reduction *what, const quire_layout *x_layout, uintptr_t x,
              const quire_layout *y_layout, uintptr_t y, uintptr_t results);
int reduce_vector_at(quire_context *context, const quire_reduction *what, size_t n, uintptr_t x, uintptr_t results);
int reduce_segments_at(quire_context *context, const quire_reduction *what, size_t segments, int index,
                       uintptr_t offsets, uintptr_t x, uintptr_t results);
