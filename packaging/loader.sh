#!/bin/sh
# loader.sh LIBDIR - after an installation: lets the loader know of a library in one of its own folders. Of another
# folder programs must be told when they are linked, which this says.
#
# SPDX-License-Identifier: MIT
set -eu
libdir=$1
PATH=$PATH:/usr/sbin:/sbin
command -v ldconfig >/dev/null || exit 0
if ldconfig -v -N -X 2>/dev/null | grep -q "^$libdir:"; then
    [ "$(id -u)" -ne 0 ] || ldconfig
else
    echo "The loader does not search $libdir: link programs with -Wl,-rpath,$libdir,"
    echo "and let pkg-config find the library by PKG_CONFIG_PATH=$libdir/pkgconfig"
fi
