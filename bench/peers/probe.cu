/* probe.cu - preprocessed when the bench is configured: whether CUB is there, and which.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cub/version.cuh>
CUB_VERSION_IS CUB_VERSION
