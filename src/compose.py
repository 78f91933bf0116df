"""One header out of several: what include/quire/device.cuh needs of the library's own arithmetic, for kernels of users.

    compose.py OUTPUT DEPFILE FILE...

FILE is a path below src. What it includes of src comes with it, each file once, in namespace quire::detail; macros and
include guards are gone at the end, and the includer's macros of these names are there again. What it includes of the
public headers and of the compiler's stands in front.

SPDX-License-Identifier: MIT
"""

import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent
INCLUDE = re.compile(r'#include ["<](.+)[">]')
LICENCE = re.compile(r"( \*\n)?( \*)? SPDX-License-Identifier: MIT( \*/)?\n")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
GUARD = re.compile(r"\s*#ifndef (\w+)\n#define \1\n")  # in front of all; others are read once for each real type
TOP = """/* quire/device/{name} - made by src/compose.py, of these files in the order in which they stand here:
{files}
 * Part of device.cuh, whose first comment is the contract. Nothing in here is for users, and any of it may change.
 *
 * SPDX-License-Identifier: MIT
 */
"""


def expand(path, done, outer, lines):
    """Appends the lines of a file, and of what it includes of src, to lines; the others go to outer."""
    text = (SRC / path).read_text()
    if path.as_posix() in done and GUARD.match(COMMENT.sub("", text)):
        return
    done[path.as_posix()] = True
    lines.append(f"/* ---- {path.as_posix()} ---- */\n")
    for line in text.splitlines(keepends=True):
        found = INCLUDE.match(line)
        if not found:
            lines.append(line)
        elif (SRC / found[1]).is_file() and not found[1].startswith("quire/"):
            expand(pathlib.Path(found[1]), done, outer, lines)
        else:
            outer[found[1]] = True


def main():
    output, depfile, roots = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    done, outer, lines = {}, {}, []
    for root in roots:
        expand(pathlib.Path(root), done, outer, lines)
    text = LICENCE.sub(lambda found: (found[3] or "") + "\n" if found[3] else "", "".join(lines))
    macros = sorted(set(re.findall(r"^#\s*define (\w+)", text, re.M)))
    guard = "QUIRE_DEVICE_" + re.sub(r"\W", "_", output.name).upper()
    with output.open("w") as to:
        to.write(TOP.format(name=output.name, files="\n".join(f" *   src/{name}" for name in done)))
        to.write(f"#ifndef {guard}\n#define {guard}\n\n")
        to.writelines(f"#include <{name}>\n" for name in sorted(outer))
        to.writelines(f'#pragma push_macro("{name}")\n#undef {name}\n' for name in macros)
        to.write("#define QUIRE_DEVICE_ALONE\n\nnamespace quire {\nnamespace detail {\n\n")
        to.write(text)
        to.write("\n} // namespace detail\n} // namespace quire\n\n#undef QUIRE_DEVICE_ALONE\n")
        to.writelines(f'#undef {name}\n#pragma pop_macro("{name}")\n' for name in macros)
        to.write("\n#endif\n")
    depfile.write_text(f"{output}: " + " ".join(str(SRC / name) for name in done) + "\n")


main()
