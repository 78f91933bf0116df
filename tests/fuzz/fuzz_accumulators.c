/* fuzz_accumulators.c - a file of accumulators. What is accepted is what would be written, and can be merged and
 * rounded. (In this build the checksum is not compared, or no change would come past it.)
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "../../src/cli/accumulators.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct accumulators accumulators;
    unsigned char bytes[ACCUMULATORS_MOST];
    const char *problem = accumulators_decode(&accumulators, data, size);
    if (problem) {
        REQUIRE(*problem);
        return 0;
    }
    REQUIRE(accumulators_encode(&accumulators, bytes) == size && !memcmp(bytes, data, size - 4));
    for (int i = 0; i < 3; i++) {
        quire_accumulator *sum = &accumulators.sum[i], before = *sum;
        double number;
        if (!(accumulators.terms & 1 << i)) continue;
        REQUIRE(!quire_carry(sum) && !memcmp(sum, &before, sizeof before)); /* it was carried */
        REQUIRE(!quire_merge(sum, &before) && !quire_merge(sum, sum));
        REQUIRE(!quire_round(sum, QUIRE_F64, &number) && !quire_round_root(sum, QUIRE_F64, &number) &&
                !quire_round_mean(sum, QUIRE_F64, &number));
    }
    return 0;
}
