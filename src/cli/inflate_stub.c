/* inflate_stub.c - a command without zlib. SPDX-License-Identifier: MIT */
#include "complain.h"
#include "inflate.h"

struct inflater *inflate_open(const char *name, bool gzip, uint32_t checksum, inflate_source *source, void *user) {
    (void)checksum, (void)source, (void)user;
    complain("%s: compressed%s, and this quire was built without zlib", name, gzip ? " by gzip" : "");
    return NULL;
}

ssize_t inflate_read(struct inflater *inflater, void *to, size_t length) {
    (void)inflater, (void)to, (void)length;
    return -1;
}

void inflate_close(struct inflater *inflater) { (void)inflater; }

int inflate_check_stored(const char *name, int fd, uintmax_t length, uint32_t checksum) {
    return (void)name, (void)fd, (void)length, (void)checksum, EXIT_FINE;
}
