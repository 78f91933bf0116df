/* test_array_plan.c - how the CUDA backend launches the sum of one array, without a device: for devices of all sizes,
 * with and without clusters and bulk copies, for calls and wishes of all kinds. Every element is in one share, in
 * subtrees where order matters; the last block gathers, and no other waits; shared memory and the workspace have room;
 * clusters are no larger than the device's. Kernels stand in (array_kernels.h). How fast a launch is, no test can tell.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "array_kernels.h"
#include "cuda/grid/shares.h"
#include "cuda/host/array_plan.h"
#include "support.h"

/* --------------------------------------------------------------------------------------------------------- a case */

typedef struct {
    device d;
    quire_job job;
    array_call call;
    cuda_kernel kernels[LENGTH_COUNT];
    array_plan plan;
} plan_case;

static void plan_it(plan_case *p) {
    p->call.job = &p->job;
    for (int length = 0; length < LENGTH_COUNT; length++) p->kernels[length] = kernel_of(&p->job, (cuda_length)length);
    p->plan = plan_kernels(&p->call, &p->d.facts, p->kernels);
    for (unsigned i = 0; i < p->plan.launches; i++) {
        cuda_kernel *kernel = &p->kernels[p->plan.launch[i].length];
        if (plan_asks_resident(&p->call, &p->d.facts, &p->plan, &p->plan.launch[i], kernel))
            kernel->resident = resident_of(&p->d, kernel);
    }
    plan_launches(&p->plan, &p->call, &p->d.facts, p->kernels);
}

static char about[300]; /* the case */
#define CHECK(condition) check_that(condition, "%s: %s", #condition, about)

static void tell(const plan_case *p, const array_launch *launch, const cuda_kernel *kernel) {
    const block_shares *shares = &launch->shares;
    snprintf(about, sizeof about,
             "driver %d, length %d, pass %d, method %d, type %d, n = %zu, %u multiprocessors, wish %u,%u,%u: %u x %u, "
             "%u sharers, cluster %u, shared %u, shares %d: units %u, loads %u, elements %zu, pieces %u,%u,%u",
             kernel->driver, launch->length, launch->pass, p->job.method, (int)p->job.type, p->job.n,
             p->d.facts.multiprocessors, p->d.facts.wish.blocks, p->d.facts.wish.warps, p->d.facts.wish.bytes,
             launch->blocks, launch->threads, launch->sharers, launch->cluster, launch->shared, shares->kind,
             shares->units_per_block, shares->loads_per_batch, shares->elements_per_turn, shares->largest_pieces,
             shares->pieces_per_size, shares->smaller_sizes);
}

static bool is_power(size_t n) { return n && !(n & (n - 1)); }

/* A block has the shared memory it needs, and a multiprocessor as many blocks as it is said to. */
static void check_room(const device *d, const array_launch *launch, const cuda_kernel *kernel) {
    const unsigned shared = launch->shared + static_of(kernel);
    CHECK(launch->threads >= 32 && launch->threads % 32 == 0 && launch->threads <= kernel->threads);
    CHECK(shared <= d->of_block);
    CHECK(launch->shared <= kernel->shared && launch->shared <= d->facts.shared_memory); /* see prepare_kernel */
    CHECK(kernel->resident * launch->threads <= d->threads);
    CHECK(kernel->resident * (shared + d->kept) <= d->shared);
    if (kernel->resident && !d->facts.wish.blocks &&
        launch->shares.kind != SHARES_EQUAL) { /* as many as fit, at once */
        const size_t once = launch->shares.kind == SHARES_PIECES ? launch->shares.pieces_per_size : launch->sharers,
                     rounded = kernel->driver == DRIVER_RING ? PIECE_PLACES - 1 : 0;
        CHECK(once <= (size_t)d->facts.multiprocessors * kernel->resident + rounded);
    }
    CHECK(launch->sharers >= 1 && launch->blocks <= LANE_GROUPS + 1 && launch->sharers <= LANE_GROUPS);
    CHECK(!d->facts.wish.blocks || launch->shares.kind == SHARES_PIECES || launch->sharers <= d->facts.wish.blocks);
}

/* The last block gathers: all with a lower index have a share, and it waits for these alone. A cluster, whose blocks
 * start together, is the whole grid. */
static void check_gathering(const device *d, const array_launch *launch, const cuda_kernel *kernel,
                            const cuda_job *job) {
    const unsigned last = launch->blocks - 1;
    CHECK(launch->sharers == last || launch->sharers == last + 1);
    CHECK(job->sharers == launch->sharers && job->gathers == (launch->sharers == last));
    CHECK(job->cluster == (launch->cluster != 0));
    CHECK(!launch->cluster || (launch->cluster == launch->blocks && launch->cluster == launch->sharers));
    CHECK(launch->cluster <= CLUSTER_BLOCKS && (!launch->cluster || launch->cluster <= d->facts.cluster));
    CHECK(!launch->cluster || (launch->cluster > 1 && d->facts.has_bulk && kernel->once));
    if (kernel->driver == DRIVER_RING || launch->shares.kind == SHARES_PIECES) CHECK(job->gathers);
    if (kernel->driver == DRIVER_SHORT) CHECK(job->gathers == (launch->sharers > 1 && !launch->cluster));
    if (kernel->driver == DRIVER_SHORT) CHECK(launch->sharers <= SHORT_BLOCKS); /* one warp gathers */
}

/* Every unit is in one block's share. in_order: and every share is a subtree. */
static void check_pieces(const array_launch *launch, const cuda_job *job, size_t units, bool in_order) {
    size_t next = 0;
    for (unsigned i = 0; i < launch->sharers; i++) {
        const block_piece piece = piece_of_number(&job->shares, i);
        CHECK(piece.begin == next && next < units && is_power(piece.size));
        CHECK(!in_order || piece.begin % piece.size == 0);
        next = piece.begin + piece.size;
    }
    CHECK(next >= units);
}

enum { MOST_COUNTED = 1 << 22 };
static unsigned char counted[MOST_COUNTED];

static void check_counted(size_t units) {
    for (size_t i = 0; i < units; i++) CHECK(counted[i] == 1);
    memset(counted, 0, units);
}

/* As exact.cuh does: the batches that the warps of all blocks take, and of a long array's kernel what is left, a load
 * at a time. */
static void check_turns(const plan_case *p, const array_launch *launch, const cuda_kernel *kernel,
                        const cuda_job *job) {
    const size_t size = (size_t)describe_format(p->job.type).size, before = -(uintptr_t)p->job.x % 16 / size;
    const size_t n = p->job.n - (kernel->load == 32 ? 0 : plan_least(before, p->job.n));
    const bool is_spread = launch->length == LENGTH_ONE_BATCH && kernel->load > 32,
               has_piece = job->shares.kind == SHARES_PIECES;
    const size_t share = is_spread ? job->shares.elements_per_turn : kernel->batch, tail = n % share;
    const unsigned batches = is_spread ? shares_of(n, share) : (unsigned)(n / share), warps = launch->threads / 32,
                   loads = is_spread ? 0 : shares_of(tail, kernel->load), all = warps * launch->blocks;
    if (batches > MOST_COUNTED || (batches > 4096 && p->job.n % 16)) return; /* it takes its time */
    for (unsigned block = 0; block < launch->blocks; block++)
        for (unsigned warp = 0; warp < warps; warp++) {
            const unsigned number = warp_of_grid(warp, block, launch->blocks);
            warp_turns turns = has_piece ? turns_in_piece(piece_of_number(&job->shares, block), warp, batches)
                                         : turns_by_number(number, batches);
            for (; turns.next < turns.end; turns.next += warps_of_turns(has_piece, warps, launch->blocks))
                counted[turns.next]++;
        }
    check_counted(is_spread ? plan_divide_up(n, share) : n / share);
    for (unsigned number = 0; number < all; number++)
        for (warp_turns turns = turns_from_end(number, all, loads); turns.next < turns.end; turns.next += all)
            counted[turns.next]++;
    check_counted(is_spread ? 0 : plan_divide_up(tail, kernel->load));
}

static void check_exact(const plan_case *p, const array_launch *launch, const cuda_kernel *kernel,
                        const cuda_job *job) {
    const size_t share = job->shares.elements_per_turn;
    if (launch->shares.kind == SHARES_PIECES) {
        CHECK(share == kernel->batch && launch->pass != PASS_AGAIN);
        check_pieces(launch, job, p->job.n / kernel->batch, false);
    } else {
        CHECK(launch->shares.kind == SHARES_TURNS);
        CHECK(share > 0 && share % kernel->load == 0 && share <= kernel->batch);
        CHECK(share == kernel->batch || share * launch->blocks * (launch->threads / 32) >= p->job.n);
    }
    check_turns(p, launch, kernel, job);
}

/* As short.cuh does: warps of all blocks take "loads" loads a thread, and again, until the array's end. */
static void check_short(const plan_case *p, const array_launch *launch, const cuda_kernel *kernel,
                        const cuda_job *job) {
    const size_t before = (uintptr_t)p->job.x % 16 / (size_t)describe_format(p->job.type).size, end = p->job.n + before;
    const size_t loads = job->shares.loads_per_batch, size = loads * 32 * kernel->load, warps = launch->threads / 32;
    CHECK(launch->shares.kind == SHARES_BATCHES && loads && loads * kernel->load <= kernel->batch);
    CHECK(launch->threads == 32 || launch->shared <= p->d.facts.shared_memory);
    for (size_t block = 0; block < job->sharers; block++)
        for (size_t warp = 0; warp < warps; warp++) {
            size_t at = (block * warps + warp) * size;
            for (unsigned batch = 0; at < end; batch++, at += size * warps * job->sharers) {
                CHECK(batch < kernel->most_batches);
                counted[at / size]++;
            }
        }
    check_counted(plan_divide_up(end, size));
}

static void check_lanes(const plan_case *p, const array_launch *launch, const cuda_kernel *kernel,
                        const cuda_job *job) {
    const block_shares *shares = &job->shares;
    CHECK(job->tile == order_tile(p->job.n, order_rows_of(p->job.method)));
    if (kernel->driver == DRIVER_DIRECT) {
        CHECK(shares->kind == SHARES_EQUAL && !shares->smaller_sizes);
        CHECK(launch->threads % kernel->tile_threads == 0);
        CHECK(shares->units_per_block % (launch->threads / kernel->tile_threads) == 0);
    } else {
        const bool has_pieces = shares->kind == SHARES_PIECES;
        CHECK(has_pieces == (shares->smaller_sizes != 0) && (has_pieces || shares->kind == SHARES_EQUAL));
        CHECK(has_pieces || launch->sharers <= kernel->most_blocks);
        /* gather_ordered.cuh adds that many pieces of a size together */
        CHECK(!has_pieces || (shares->largest_pieces % PIECES_THREAD == 0 &&
                              shares->pieces_per_size % (1u << shares->smaller_sizes) == 0));
    }
    check_pieces(launch, job, p->job.n ? plan_divide_up(p->job.n, job->tile) : 1, true);
}

static void check_passes(const plan_case *p) {
    const array_plan *plan = &p->plan;
    const array_launch *first = &plan->launch[0], *second = &plan->launch[1];
    const bool is_root = p->job.finish == FINISH_ROOT, is_exact = p->job.method == QUIRE_EXACT;
    const bool accumulates = p->call.accumulates;
    const bool takes_floats = p->d.facts.ratio >= FEW_DOUBLES && p->kernels[LENGTH_LONG_FLOATS].adds_floats;
    const cuda_length long_one = takes_floats ? LENGTH_LONG_FLOATS : LENGTH_LONG;
    CHECK(plan->launches == 1 || plan->launches == 2);
    if (plan->launches == 1) {
        CHECK(first->pass == PASS_ALL_BITS && first->length != LENGTH_LONG_NORM);
    } else {
        const unsigned bits = (unsigned)describe_format(p->job.result_type).precision;
        CHECK(is_exact && p->job.n && !accumulates && (is_root || p->call.was_wide || p->d.facts.wish.bytes));
        CHECK(first->pass == PASS_APPROXIMATE && p->kernels[first->length].approximate >= bits);
        CHECK(second->pass == PASS_AGAIN && second->length == long_one && !second->has_hint);
        CHECK(first->length == long_one || (first->length == LENGTH_LONG_NORM && is_root));
    }
    CHECK(first->length < LENGTH_LONG || first->length == LENGTH_LONG_NORM || first->length == long_one);
    CHECK(!first->has_hint || (is_exact && !is_root));
    CHECK(plan->needs_zero == (is_exact && !accumulates && p->job.n && p->job.rounding == QUIRE_DOWNWARD));
    CHECK(plan->tells_zeros == (plan->needs_zero || (accumulates && p->job.n)));
    CHECK(plan->overlaps == p->d.facts.has_bulk && (!plan->ahead || (plan->overlaps && !p->call.is_apart && p->job.n)));
}

static void check_case(const plan_case *p) {
    for (unsigned i = 0; i < p->plan.launches; i++) {
        const array_launch *launch = &p->plan.launch[i];
        const cuda_kernel *kernel = &p->kernels[launch->length];
        cuda_job job = { 0 };
        tell(p, launch, kernel);
        plan_to_job(&p->plan, launch, &job);
        CHECK(job.pass == launch->pass && job.ahead == p->plan.ahead);
        check_room(&p->d, launch, kernel);
        check_gathering(&p->d, launch, kernel, &job);
        if (kernel->driver == DRIVER_SHORT)
            check_short(p, launch, kernel, &job);
        else if (kernel->driver == DRIVER_EXACT)
            check_exact(p, launch, kernel, &job);
        else
            check_lanes(p, launch, kernel, &job);
    }
    check_passes(p);
}

/* ---------------------------------------------------------------------------------------------------------- draws */

#define ONE_OF(g, all) ((all)[generator_below(g, sizeof(all) / sizeof *(all))])

static device draw_device(generator *g) {
    static const unsigned wished_blocks[] = { 0, 1, 3, 64, 9000 }, warps[] = { 0, 1, 2, 8 }, bytes[] = { 0, 1, 4096 };
    const size_t classes = sizeof CLASSES / sizeof *CLASSES;
    device d = device_of((int)generator_below(g, classes), (unsigned)generator_between(g, 8, 160));
    if (generator_below(g, 8) == 0) d.facts.multiprocessors = (unsigned)generator_between(g, 1, 7);
    if (generator_below(g, 2) == 0)
        d.facts.cluster = (unsigned)plan_least(1u << generator_below(g, 5), d.facts.cluster);
    if (generator_below(g, 3) == 0) {
        const launch_wish wish = { ONE_OF(g, wished_blocks), ONE_OF(g, warps), ONE_OF(g, bytes) };
        d.facts.wish = wish;
    }
    return d;
}

/* Of arrays that nobody looks at. */
static quire_job draw_job(generator *g, int greatest) {
    static const quire_type types[] = { QUIRE_F16, QUIRE_BF16, QUIRE_F32, QUIRE_F64 };
    static const quire_method methods[] = { QUIRE_EXACT, QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN };
    static const quire_term terms[] = { TERM_IDENTITY, TERM_MAGNITUDE, TERM_PRODUCT };
    quire_job job = { ONE_OF(g, types),
                      ONE_OF(g, terms),
                      FINISH_KEEP,
                      0,
                      NULL,
                      NULL,
                      ONE_OF(g, methods),
                      ONE_OF(g, types),
                      NULL,
                      QUIRE_TO_NEAREST,
                      0 };
    const size_t power = (size_t)2 << generator_below(g, (uint64_t)greatest),
                 size = (size_t)describe_format(job.type).size;
    job.n = generator_below(g, 2) ? power + generator_below(g, 5) - 2 : power + generator_below(g, power);
    if (generator_below(g, 4) == 0) job.rounding = QUIRE_DOWNWARD;
    job.x = job.y = (const void *)(0x100000 + generator_below(g, 2) * size * generator_below(g, 16));
    if (job.term == TERM_PRODUCT && generator_below(g, 2))
        job.y = (const void *)(0x900000 + generator_below(g, 2) * size * generator_below(g, 16));
    if (job.term == TERM_PRODUCT && job.y == job.x && generator_below(g, 2)) job.finish = FINISH_ROOT;
    return job;
}

static void check_draws(uint64_t seed, size_t turns, int greatest) {
    generator g;
    generator_seed(&g, seed);
    for (size_t turn = 0; turn < scaled(turns); turn++) {
        plan_case p = { .d = draw_device(&g), .job = draw_job(&g, greatest) };
        p.call.accumulates = p.job.method == QUIRE_EXACT && p.job.finish == FINISH_KEEP && generator_below(&g, 3) == 0;
        p.call.was_wide = generator_below(&g, 2), p.call.is_apart = generator_below(&g, 4) == 0;
        plan_it(&p);
        check_case(&p);
    }
}

START_TEST(every_element_has_a_place) { check_draws(21, 100000, 22); }
END_TEST

START_TEST(of_long_arrays_too) { check_draws(22, 20000, 37); }
END_TEST

/* The table of docs/architecture.md, for one device. */
START_TEST(known_launches) {
    static const struct {
        quire_method method;
        size_t n; /* floats */
        cuda_driver driver;
        unsigned blocks, cluster;
        bool has_pieces;
    } known[] = {
        { QUIRE_EXACT, 0, DRIVER_SHORT, 1, 0, false },
        { QUIRE_EXACT, 4096, DRIVER_SHORT, 1, 0, false },
        { QUIRE_EXACT, 1 << 17, DRIVER_SHORT, 16, 16, false },
        { QUIRE_EXACT, (1 << 17) + 1, DRIVER_SHORT, 66, 0, false },
        { QUIRE_EXACT, 1 << 26, DRIVER_SHORT, 129, 0, false },
        { QUIRE_EXACT, (1 << 26) + 1, DRIVER_EXACT, 132 * 3, 0, false },
        { QUIRE_EXACT, 1 << 29, DRIVER_EXACT, 0, 0, true },
        { QUIRE_PLAIN, 4096, DRIVER_DIRECT, 1, 0, false },
        { QUIRE_PLAIN, 1 << 28, DRIVER_DIRECT, 0, 0, false },
        { QUIRE_PLAIN, 1 << 29, DRIVER_RING, 0, 0, true },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        plan_case p = { .d = device_of(CLASS_90, 132) };
        p.job.type = p.job.result_type = QUIRE_F32, p.job.method = known[i].method, p.job.n = known[i].n;
        plan_it(&p);
        check_case(&p);
        const array_launch *launch = &p.plan.launch[0];
        CHECK(p.plan.launches == 1 && p.kernels[launch->length].driver == known[i].driver);
        CHECK(!known[i].blocks || launch->blocks == known[i].blocks);
        CHECK(launch->cluster == known[i].cluster && (launch->shares.kind == SHARES_PIECES) == known[i].has_pieces);
    }
}
END_TEST

static void add(TCase *cases) {
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, every_element_has_a_place);
    tcase_add_test(cases, of_long_arrays_too);
    tcase_add_test(cases, known_launches);
}

int main(void) { return run_cases_without_place("array_plan", add); }
