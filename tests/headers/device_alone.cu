/* device_alone.cu - quire/device.cuh on its own, and kernels whose arithmetic is the header's alone: device_flags.py
 * compares what flags of the compiler make of them. The kernels compute nothing: a product of theirs might be
 * contracted, which is their affair. */
#include <quire/device.cuh>

template <class T> struct elements {
    const T *x;
    __device__ T operator()(size_t k) const { return x[k]; }
};

template <class STATE, class T> static __device__ void in_order(const T *x, size_t n, T *result) {
    __shared__ quire::ordered_scratch<256, STATE> scratch;
    const elements<T> of = { x };
    result[0] = quire::block_dot(scratch, n, of, of);
    result[1] = quire::block_mean(scratch, n, of, QUIRE_UPWARD);
    result[2] = quire::warp_nrm2<T, 8>(STATE(), n, of);
}

#define KERNEL(name, ...) extern "C" __global__ void __launch_bounds__(256) name(__VA_ARGS__)

KERNEL(kahan_float, const float *x, size_t n, float *result) { in_order<quire::kahan<float>>(x, n, result); }
KERNEL(plain_half, const __half *x, size_t n, __half *result) { in_order<quire::plain<__half>>(x, n, result); }
KERNEL(pairwise_double, const double *x, size_t n, double *result) { in_order<quire::pairwise<double>>(x, n, result); }
KERNEL(exact_float, const float *x, size_t n, float *result) {
    __shared__ quire::block_scratch<256> scratch;
    const elements<float> of = { x };
    result[0] = quire::block_sum(scratch, n, of);
    result[1] = quire::block_nrm2(scratch, n, of, QUIRE_DOWNWARD);
}
KERNEL(exact_double, const double *x, size_t n, __nv_bfloat16 *result) {
    __shared__ quire::warp_scratch scratch;
    const elements<double> of = { x };
    result[0] = quire::warp_dot<__nv_bfloat16>(scratch, n, of, of);
}
KERNEL(exact_e5m2, const __nv_fp8_e5m2 *x, size_t n, __nv_fp8_e4m3 *result) {
    __shared__ quire::warp_scratch scratch;
    result[0] = quire::warp_mean<__nv_fp8_e4m3>(scratch, n, elements<__nv_fp8_e5m2>{ x });
}
KERNEL(moments_float, const float *x, size_t n, float *result) {
    __shared__ quire::block_moments_scratch<256> scratch;
    const auto both = quire::block_moments(scratch, n, elements<float>{ x }, 1);
    result[0] = both.mean, result[1] = both.variance;
}
KERNEL(moments_double, const double *x, size_t n, double *result) {
    __shared__ quire::warp_moments_scratch scratch;
    result[0] = quire::warp_stddev(scratch, n, elements<double>{ x });
}
KERNEL(accumulate_half, const __half *x, size_t n, quire_accumulator *sum) {
    __shared__ quire::block_scratch<256> scratch;
    quire::block_accumulate_products(scratch, sum, n, elements<__half>{ x }, elements<__half>{ x });
}
