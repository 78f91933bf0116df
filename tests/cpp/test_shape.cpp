/* test_shape.cpp - src/cuda/host/shape.cuh, without a device: for devices, calls and launches of all kinds the kernel
 * that is chosen gets a grid that takes every element once, in subtrees where order matters, and for which there is
 * room. Kernels stand in that like to be launched as ours do. How fast a shape is, no test can tell. */
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "run.h"

/* What of CUDA's the headers name. */
typedef struct stand_in *cudaStream_t, *cudaEvent_t;
static int resident; /* blocks of a multiprocessor */
static int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, std::size_t) {
    *blocks = resident;
    return 0;
}
#define __device__
#define __forceinline__ inline
using std::min;

#pragma GCC diagnostic ignored "-Wunused-function"
#include "cuda/grid/pieces.cuh"
#include "cuda/host/shape.cuh"

/* ---------------------------------------------------------------------------------------------------------- stand-ins
 */

static cuda_kernel lanes_of(quire_method method, unsigned elements, cuda_length length) {
    const unsigned words = method == QUIRE_KAHAN ? 2 : 1;
    if (elements > 1 && length >= LENGTH_LONG) {
        cuda_kernel ring = { nullptr, DRIVER_RING, 256, 0 };
        ring.most_blocks = LANE_STATES / words;
        return ring;
    }
    cuda_kernel kernel = { nullptr, DRIVER_DIRECT, 256, 0 };
    kernel.tile_threads = elements > 1 ? ORDER_LANES / 4u : ORDER_LANES;
    kernel.ring = method == QUIRE_KAHAN ? RING_SOONER : RING_BYTES;
    return kernel;
}

static cuda_kernel kernel_of(int size, quire_term term, quire_method method, cuda_access access, cuda_length length) {
    const unsigned elements = access == ACCESS_ELEMENTS ? 1 : 16 / (unsigned)size;
    if (method != QUIRE_EXACT) return lanes_of(method, elements, length);
    const bool many = length == LENGTH_SHORT, product = term == TERM_PRODUCT;
    cuda_kernel kernel = { nullptr, DRIVER_EXACT, 128, 32 << 10 };
    kernel.load = 32 * elements, kernel.batch = 32 * elements * 8;
    kernel.loose = 64;
    kernel.adds_floats = size == 4;
    if (length >= LENGTH_LONG || elements == 1 || (product && size > 2)) return kernel;
    cuda_kernel of_short = { nullptr, DRIVER_SHORT, 512, 48 << 10 };
    of_short.most_batches = many ? SHORT_BATCHES : 1u;
    of_short.load = elements, of_short.batch = elements * 4;
    of_short.once = !many;
    return of_short;
}

#define KERNEL(name, NAME, number, real, unused)                                                                       \
    cuda_kernel quire_cuda_##name(quire_term term, quire_method method, cuda_access access, cuda_length length) {      \
        return kernel_of(describe_format(number).size, term, method, access, length);                                  \
    }
QUIRE_WINDOWED_FORMATS(KERNEL, )

/* -------------------------------------------------------------------------------------------------------------- draws
 */

static std::uint64_t state = 1;

static std::uint64_t draw(std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

template <class T, std::size_t N> static T one_of(const T (&all)[N]) { return all[draw(N)]; }

static cuda_context draw_device() {
    cuda_context c = {};
    c.multiprocessors = one_of({ 1, 2, 3, 8, 13, 58, 132, 148, 160 });
    c.shared_memory = one_of({ 16u << 10, 48u << 10, 227u << 10 });
    c.cluster = one_of({ 1u, 2u, 8u, 16u });
    c.has_bulk = draw(2);
    c.few_doubles = draw(2);
    resident = (int)one_of({ 1, 2, 5, 8, 16 });
    if (draw(3) == 0)
        c.wish = { one_of({ 0u, 1u, 3u, 64u, 9000u }), one_of({ 0u, 1u, 2u, 8u }), one_of({ 0u, 1u, 4096u }) };
    return c;
}

/* Of arrays that nobody looks at. */
static quire_job draw_job() {
    quire_job job = {};
    job.type = one_of({ QUIRE_F16, QUIRE_BF16, QUIRE_F32, QUIRE_F64 });
    job.result_type = one_of({ QUIRE_F32, QUIRE_F64 });
    job.method = one_of({ QUIRE_EXACT, QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN });
    job.term = one_of({ TERM_IDENTITY, TERM_PRODUCT });
    const std::size_t power = (std::size_t)2 << draw(37);
    job.n = draw(2) ? power + draw(5) - 2 : power + draw(power);
    const std::size_t size = (std::size_t)describe_format(job.type).size;
    job.x = (const void *)(0x100000 + draw(2) * size * draw(16));
    if (job.term == TERM_PRODUCT) job.y = draw(2) ? job.x : (const void *)(0x900000 + draw(2) * size * draw(16));
    if (job.y == job.x && job.y && draw(2)) job.finish = FINISH_ROOT;
    return job;
}

/* ------------------------------------------------------------------------------------------------------------- checks
 */

static char about[256]; /* the case */
#define CHECK(condition) ck_assert_msg(condition, "%s", about)

static bool is_power(std::size_t n) { return n && !(n & (n - 1)); }

/* Every unit is in one block's share. in_order: and every share is a subtree. */
static void check_pieces(const launch_shape &shape, std::size_t units, bool in_order) {
    cuda_job job = {};
    job.units = shape.units, job.whole = shape.whole, job.level = shape.level, job.halvings = shape.halvings;
    std::size_t next = 0;
    bool fine = true;
    for (unsigned i = 0; i < shape.blocks; i++) {
        const block_piece piece = piece_of_block(job, i);
        fine = fine && piece.begin == next && next < units && is_power(piece.size);
        fine = fine && (!in_order || piece.begin % piece.size == 0);
        next = piece.begin + piece.size;
    }
    CHECK(fine && next >= units);
}

static void check_exact(const cuda_kernel &kernel, const quire_job &job, const launch_shape &shape) {
    if (shape.halvings) {
        CHECK(shape.share == kernel.batch);
        check_pieces(shape, job.n / kernel.batch, false);
        return;
    }
    CHECK(shape.share > 0 && shape.share % kernel.load == 0 && shape.share <= kernel.batch);
    CHECK(shape.share == kernel.batch || shape.share * shape.blocks * (shape.threads / 32) >= job.n);
}

static void check_short(const cuda_context &c, const cuda_kernel &kernel, const quire_job &job,
                        const launch_shape &shape) {
    const std::size_t at_once = (std::size_t)shape.loads * kernel.load * shape.threads * shape.blocks;
    CHECK(shape.loads && shape.loads * kernel.load <= kernel.batch);
    const std::size_t before = (std::uintptr_t)job.x % 16 / (std::size_t)describe_format(job.type).size; /* the array */
    CHECK(at_once * kernel.most_batches >= before + job.n);
    CHECK(shape.blocks <= EXACT_FEW_BLOCKS && (shape.blocks == 1) == !shape.gathers);
    CHECK(shape.threads == 32 || shared_of(&kernel, shape.threads) <= c.shared_memory);
}

static void check_case(const cuda_context &c, const quire_job &job) {
    const cuda_kernel kernel = kernel_for(&c, &job, draw(2), draw(2));
    cuda_job work = {};
    work.tile = order_tile(job.n, order_rows_of(job.method));
    work.pass = PASS_STRICT;
    const launch_shape shape = shape_of(&c, &job, &kernel, &work);
    snprintf(about, sizeof about,
             "driver %d, method %d, type %d, n = %zu, %d multiprocessors, wish %u,%u,%u: %u x %u, "
             "units %u, loads %u, share %zu, pieces %u,%u,%u",
             kernel.driver, job.method, (int)job.type, job.n, c.multiprocessors, c.wish.blocks, c.wish.warps,
             c.wish.bytes, shape.blocks, shape.threads, shape.units, shape.loads, shape.share, shape.whole, shape.level,
             shape.halvings);
    CHECK(shape.blocks >= 1 && shape.blocks <= LANE_GROUPS);
    CHECK(shape.threads >= 32 && shape.threads % 32 == 0 && shape.threads <= kernel.threads);
    if (kernel.driver == DRIVER_SHORT) return check_short(c, kernel, job, shape);
    if (kernel.driver == DRIVER_EXACT) return check_exact(kernel, job, shape);
    const std::size_t tiles = job.n ? divide_up(job.n, work.tile) : 1;
    if (kernel.driver == DRIVER_DIRECT) {
        CHECK(shape.threads % kernel.tile_threads == 0 && shape.units % (shape.threads / kernel.tile_threads) == 0);
        CHECK(!shape.halvings);
    } else {
        CHECK(shape.halvings || shape.blocks <= kernel.most_blocks);
        /* gather_ordered.cuh adds that many pieces of a size together */
        CHECK(!shape.halvings || (shape.whole % PIECES_THREAD == 0 && shape.level % (1u << shape.halvings) == 0));
    }
    check_pieces(shape, tiles, true);
}

START_TEST(every_element_has_a_place) {
    for (int i = 0; i < 100000; i++) {
        const cuda_context c = draw_device();
        check_case(c, draw_job());
    }
}
END_TEST

int main() {
    Suite *suite = suite_create("shape");
    TCase *cases = tcase_create("shape");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, every_element_has_a_place);
    suite_add_tcase(suite, cases);
    return run(suite);
}
