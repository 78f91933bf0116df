/* kernel.cu - README.md's kernel, as it stands. It is compiled alone: docs/examples/kernels are run. */
#include <quire/device.cuh>
#include "kernel.inc"
