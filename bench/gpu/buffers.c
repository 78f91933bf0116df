/* buffers.c - the copies: one is brought over, the others are made on the device.
 *
 * SPDX-License-Identifier: MIT
 */
#include "buffers.h"

#include "command/terminal.h"
#include "device.h"
#include "number.h"

#define ALIGNMENT 256
#define SLACK 1024        /* bytes to shift in, and to round up to the alignment */
#define CACHES 4          /* how many times the cache copies should fill */
#define KEEP_FREE 2 / 100 /* of the memory, for workspaces and graphs */

static struct buffers {
    char *x, *y;
    size_t room, stride;
    int copies;
    size_t shift_x, shift_y; /* bytes */
    unsigned version;        /* of the data that are there; 0: none */
} here;

bool buffers_open(size_t bytes, bool wants_y) {
    const size_t vectors = wants_y ? 2 : 1, available = device_free_memory(), caches = CACHES * device_about()->cache;
    const size_t most = (available - available * KEEP_FREE) / vectors, least = bytes + SLACK;
    const size_t wanted = (2 * bytes > caches ? 2 * bytes : caches + bytes) + SLACK;
    here = (struct buffers){ .room = wanted < most ? wanted : most };
    if (bytes <= most && least <= most) {
        here.x = device_allocate(here.room);
        here.y = wants_y ? device_allocate(here.room) : NULL;
        if (here.x && (here.y || !wants_y)) return true;
        buffers_close();
    }
    const double gigabyte = 1e9;
    return complain("too little device memory: %.1f GB needed, %.1f GB free; try a smaller --n, or --place cpu",
                    (double)vectors * (double)bytes / gigabyte, (double)available / gigabyte);
}

void buffers_close(void) {
    device_release(here.x);
    device_release(here.y);
    here = (struct buffers){ .x = NULL };
}

/* Doubles what is there until there are times of it, each so many bytes after the one before. */
static int repeat(char *at, size_t bytes, size_t times) {
    int error = 0;
    for (size_t have = 1; have < times && !error;) {
        const size_t more = have < times - have ? have : times - have;
        error = device_copy(at + have * bytes, at, more * bytes);
        have += more;
    }
    return error;
}

/* One vector from its block and its tail, and its copies. */
static int fill(char *at, const data *d, const void *from) {
    const size_t size = type_size(d->type), block = d->block * size;
    int error = device_upload(at, from, block);
    if (!error) error = repeat(at, block, d->copies);
    if (!error && d->tail)
        error = device_upload(at + block * d->copies, (const char *)from + data_tail(d) * size, d->tail * size);
    return error ? error : repeat(at, here.stride, (size_t)here.copies);
}

int buffers_fill(const data *d, bool shifted, int many) {
    const size_t size = type_size(d->type), bytes = d->n * size;
    if (here.version == d->version && !shifted) return 0;
    here.stride = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t fit = here.room / here.stride;
    here.copies = shifted || fit < 1 ? 1 : fit < (size_t)many ? (int)fit : many;
    here.shift_x = shifted ? size : 0;
    here.shift_y = shifted && here.y ? 3 * size : 0;
    here.version = 0;
    int error = fill(here.x + here.shift_x, d, data_x(d));
    if (!error && here.y) error = fill(here.y + here.shift_y, d, data_y(d));
    if (!error) error = device_wait();
    if (!error && !shifted) here.version = d->version;
    return error;
}

int buffers_copies(void) { return here.copies; }

const void *buffers_x(int i) { return here.x + here.shift_x + (size_t)(i % here.copies) * here.stride; }

const void *buffers_y(int i) { return here.y ? here.y + here.shift_y + (size_t)(i % here.copies) * here.stride : NULL; }
