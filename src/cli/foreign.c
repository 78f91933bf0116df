/* foreign.c - files of other programs, known by their first bytes, and the command that converts each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "foreign.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"

#define LOOK 64 /* bytes that are looked at */

/* A % in the command is the file's name. */
static const struct kind {
    size_t place;
    const char *magic;
    size_t length;
    const char *what, *command;
} kinds[] = {
#define BYTES(text) text, sizeof(text) - 1
    { 0, BYTES("\x28\xb5\x2f\xfd"), "compressed by zstd", "zstd -dc % | quire sum" },
    { 0, BYTES("\3757zXZ"), "compressed by xz", "xz -dc % | quire sum" },
    { 0, BYTES("BZh"), "compressed by bzip2", "bzip2 -dc % | quire sum" },
    { 0, BYTES("\x04\x22\x4d\x18"), "compressed by lz4", "lz4 -dc % | quire sum" },
    { 0, BYTES("\x1f\x9d"), "compressed by compress", "gzip -dc % | quire sum" },
    { 0, BYTES("PAR1"), "a Parquet file",
      "python3 -c \"import numpy, pandas; numpy.save('x.npy', pandas.read_parquet('%')['COLUMN'])\"" },
    { 0, BYTES("ARROW1"), "an Arrow file",
      "python3 -c \"import numpy, pandas; numpy.save('x.npy', pandas.read_feather('%')['COLUMN'])\"" },
    { 0, BYTES("\x89HDF\r\n\x1a\n"), "an HDF5 file (NetCDF 4 is one, too)",
      "python3 -c \"import numpy, h5py; numpy.save('x.npy', h5py.File('%')['NAME'][...])\"" },
    { 0, BYTES("CDF\1"), "a NetCDF file",
      "python3 -c \"import numpy, scipy.io as s; numpy.save('x.npy', s.netcdf_file('%').variables['NAME'][...])\"" },
    { 0, BYTES("CDF\2"), "a NetCDF file",
      "python3 -c \"import numpy, scipy.io as s; numpy.save('x.npy', s.netcdf_file('%').variables['NAME'][...])\"" },
    { 0, BYTES("CDF\5"), "a NetCDF file",
      "python3 -c \"import numpy, netCDF4 as n; numpy.save('x.npy', n.Dataset('%')['NAME'][...].data)\"" },
    { 0, BYTES("MATLAB 5.0 MAT-file"), "a MATLAB file",
      "python3 -c \"import numpy, scipy.io as s; numpy.save('x.npy', s.loadmat('%')['NAME'])\"" },
    { 0, BYTES("SQLite format 3"), "an SQLite database", "sqlite3 % 'select COLUMN from TABLE' | quire sum" },
    { 30, BYTES("[Content_Types].xml"), "an Excel file", "libreoffice --headless --convert-to csv %" },
    { 30, BYTES("_rels/.rels"), "an Excel file", "libreoffice --headless --convert-to csv %" },
    { 30, BYTES("mimetypeapplication/vnd.oasis"), "an OpenDocument file", "libreoffice --headless --convert-to csv %" },
    { 0, BYTES("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Excel file", "libreoffice --headless --convert-to csv %" },
    { 0, BYTES("\xff\xfe"), "a text in UTF-16", "iconv -f UTF-16 -t UTF-8 % | quire sum" },
    { 0, BYTES("\xfe\xff"), "a text in UTF-16", "iconv -f UTF-16 -t UTF-8 % | quire sum" },
    { 0, BYTES("\x80\2"), "a pickle of Python",
      "python3 -c \"import numpy; numpy.save('x.npy', numpy.load('%', allow_pickle=True))\", if you trust it" },
    { 0, BYTES("\x80\3"), "a pickle of Python",
      "python3 -c \"import numpy; numpy.save('x.npy', numpy.load('%', allow_pickle=True))\", if you trust it" },
    { 0, BYTES("\x80\4"), "a pickle of Python",
      "python3 -c \"import numpy; numpy.save('x.npy', numpy.load('%', allow_pickle=True))\", if you trust it" },
    { 0, BYTES("\x80\5"), "a pickle of Python",
      "python3 -c \"import numpy; numpy.save('x.npy', numpy.load('%', allow_pickle=True))\", if you trust it" },
    { 0, BYTES("["), "JSON", "jq '.[]' % | quire sum" },
    { 0, BYTES("{"), "JSON", "jq '.NAME[]' % | quire sum" },
#undef BYTES
};

#define COUNT (sizeof kinds / sizeof *kinds)

/* A name that a shell would take apart is not put into a command. */
static const char *shown(const char *path) {
    for (const char *c = path; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._/-+", *c)) return "FILE";
    return path;
}

/* bzip2's magic is three letters, and a digit. */
static bool is_kind(const struct kind *kind, const unsigned char *at, size_t there) {
    if (kind->place + kind->length > there || memcmp(at + kind->place, kind->magic, kind->length)) return false;
    if (kind->place && memcmp(at, "PK\3\4", 4)) return false;
    return strcmp(kind->magic, "BZh") || (there > 3 && at[3] >= '1' && at[3] <= '9');
}

static void complain_of(const struct kind *kind, const char *name, const char *path) {
    const char *hole = strchr(kind->command, '%');
    complain("%s: %s, which quire does not read; try: %.*s%s%s", name, kind->what, (int)(hole - kind->command),
             kind->command, shown(path), hole + 1);
}

bool foreign_refused(struct bytes *bytes, const char *path) {
    const ssize_t there = bytes_peek(bytes, LOOK);
    for (size_t i = 0; i < COUNT && there > 0; i++) {
        if (!is_kind(&kinds[i], bytes->buffer + bytes->next, (size_t)there)) continue;
        complain_of(&kinds[i], bytes->name, path);
        return true;
    }
    return false;
}
