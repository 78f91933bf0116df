#!/bin/sh
# copy.sh FROM TO NAMES: copies .mod files out of the folder where the compiler puts them.
set -e
from=$1 to=$2
shift 2
for name in "$@"; do cp "$from/$name" "$to/$name"; done
