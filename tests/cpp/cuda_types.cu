/* cuda_types.cu - quire.hpp with CUDA's types and streams. Compiling is the test; nothing here is run. */
#include <quire/quire.hpp> /* before CUDA's headers: the order does not matter */

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

template <class T> static void reduce_on(cudaStream_t stream, const T *x, std::size_t n, float *result) {
    quire::context context = quire::context::cuda(0, stream);
    context.set_stream(stream);
    quire::sum(quire::span(x, n), result, context);
    quire::dot(quire::span(x, n), quire::span(x, n), result, context);
    quire::reduce(QUIRE_MEAN, quire_rows(1, n, 0), quire::span(x, n), quire::span(result, 1), context);
}

template void reduce_on(cudaStream_t, const __half *, std::size_t, float *);
template void reduce_on(cudaStream_t, const __nv_bfloat16 *, std::size_t, float *);
template void reduce_on(cudaStream_t, const __nv_fp8_e5m2 *, std::size_t, float *);
template void reduce_on(cudaStream_t, const __nv_fp8_e4m3 *, std::size_t, float *);
template void reduce_on(cudaStream_t, const float *, std::size_t, float *);
template void reduce_on(cudaStream_t, const double *, std::size_t, float *);

__half header_hpp_half(const __half *x, std::size_t n);
__half header_hpp_half(const __half *x, std::size_t n) { return quire::sum(quire::span(x, n)); }
