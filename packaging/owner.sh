#!/bin/sh
# owner.sh - after an installation by root in a build folder of somebody else: what root wrote there, such as Meson's
# log, is given to the folder's owner, whose own next installation would fail otherwise.
#
# SPDX-License-Identifier: MIT
set -eu
owner=$(stat -c %u:%g "$MESON_BUILD_ROOT")
if [ "$(id -u)" -eq 0 ] && [ "${owner%:*}" -ne 0 ]; then
    find "$MESON_BUILD_ROOT" -xdev -user 0 -exec chown -h "$owner" {} +
fi
