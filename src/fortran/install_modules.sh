#!/bin/sh
# install_modules.sh FROM TO: the .mod files, which meson does not install by itself.
set -e
mkdir -p "$DESTDIR$2"
cp "$1"/*.mod "$DESTDIR$2"
