/* inflate_zlib.c - decompression by zlib.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "complain.h"
#include "inflate.h"

#define PACKED ((size_t)1 << 16) /* compressed bytes read at a time */

struct inflater {
    const char *name;
    z_stream stream;
    bool gzip, ended; /* ended: what was begun is complete */
    uLong checksum, wanted;
    inflate_source *source;
    void *user;
    unsigned char packed[PACKED];
};

struct inflater *inflate_open(const char *name, bool gzip, uint32_t checksum, inflate_source *source, void *user) {
    struct inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater && inflateInit2(&inflater->stream, gzip ? 16 + MAX_WBITS : -MAX_WBITS)) {
        free(inflater);
        inflater = NULL;
    }
    if (!inflater) {
        complain("%s: out of memory", name);
        return NULL;
    }
    inflater->name = name;
    inflater->gzip = gzip;
    inflater->wanted = checksum;
    inflater->source = source;
    inflater->user = user;
    return inflater;
}

static int trouble(const struct inflater *inflater, const char *what) {
    complain("%s: %s compressed data", inflater->name, what);
    return -1;
}

/* More compressed bytes, if there are: 1, 0 at the end, -1. */
static int refill(struct inflater *inflater) {
    if (inflater->stream.avail_in) return 1;
    const ssize_t got = inflater->source(inflater->user, inflater->packed, PACKED);
    if (got <= 0) return (int)got;
    inflater->stream.next_in = inflater->packed;
    inflater->stream.avail_in = (uInt)got;
    return 1;
}

/* Behind a complete one: a file of gzip may have another, a member ends. 1: goes on, 0: the end, -1. */
static int next_part(struct inflater *inflater) {
    const int more = refill(inflater);
    if (more <= 0) return more;
    if (!inflater->gzip) return trouble(inflater, "something stands behind the");
    if (inflateReset(&inflater->stream)) return trouble(inflater, "damaged");
    inflater->ended = false;
    return 1;
}

static int at_end(struct inflater *inflater) {
    inflater->ended = true;
    return inflater->gzip || inflater->checksum == inflater->wanted ? 0 : trouble(inflater, "damaged");
}

ssize_t inflate_read(struct inflater *inflater, void *to, size_t length) {
    z_stream *stream = &inflater->stream;
    if (length > PACKED) length = PACKED;
    stream->next_out = to;
    stream->avail_out = (uInt)length;
    while (stream->avail_out == length) {
        if (inflater->ended) {
            const int more = next_part(inflater);
            if (more <= 0) return more;
        }
        const int more = refill(inflater);
        if (more <= 0) return more ? more : trouble(inflater, "truncated");
        const int answer = inflate(stream, Z_NO_FLUSH);
        if (answer != Z_OK && answer != Z_STREAM_END && answer != Z_BUF_ERROR) return trouble(inflater, "damaged");
        inflater->checksum = crc32(inflater->checksum, to, (uInt)length - stream->avail_out);
        if (answer == Z_STREAM_END && at_end(inflater)) return -1;
    }
    return (ssize_t)(length - stream->avail_out);
}

void inflate_close(struct inflater *inflater) {
    if (inflater) inflateEnd(&inflater->stream);
    free(inflater);
}

int inflate_check_stored(const char *name, int fd, uintmax_t length, uint32_t checksum) {
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* fuzzers find no checksums, and are to come behind them */
    const off_t begin = lseek(fd, 0, SEEK_CUR);
    unsigned char bytes[PACKED];
    uintmax_t left = length;
    uLong found = 0;
    ssize_t got;
    while (left && (got = read(fd, bytes, left < PACKED ? (size_t)left : PACKED)) > 0) {
        found = crc32(found, bytes, (uInt)got);
        left -= (uintmax_t)got;
    }
    if (lseek(fd, begin, SEEK_SET) < 0 || (!left && found != checksum)) {
        complain("%s: damaged data", name);
        return EXIT_TROUBLE;
    }
#endif
    return (void)name, (void)fd, (void)length, (void)checksum, EXIT_FINE;
}
