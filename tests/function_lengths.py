#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No function of the sources is longer than 80 lines, unless it is a table.

Usage: tests/function_lengths.py [SOURCE_FOLDER]      exit: 0 all is well, 1 it is not, 77 skipped, 99 cannot say
Without an argument the sources are those of $srcdir, and the test first tests itself.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 80
FOLDERS = ["base", "policy", "record", "timeline", "sim", "studies", "shim", "plugin", "tests", "examples"]
# Lists of entries, one like the other. Add to these only what has no control flow.
TABLES = {"shim/conf/settings.cc": {"all_settings"}, "tests/shim/admin/sample_status.h": {"sample_status"}}


def functions(root):
    """(file, name, first line, last line) of each function with a body, by ctags."""
    files = sorted(path.relative_to(root).as_posix() for folder in FOLDERS for path in (root / folder).rglob("*")
                   if path.suffix in {".c", ".cc", ".h"} and "lib" not in path.parts)
    if not files:
        print(f"{root} has no sources")
        sys.exit(99)
    made = subprocess.run(["ctags", "--output-format=json", "--fields=+ne", "--languages=C,C++", "--langmap=C++:+.h",
                           "--kinds-C=f", "--kinds-C++=f", "-L", "-", "-f", "-"], cwd=root, input="\n".join(files),
                          text=True, capture_output=True, check=True)
    for line in made.stdout.splitlines():
        tag = json.loads(line)
        if "end" in tag:
            yield tag["path"], tag["name"], tag["line"], tag["end"]


def complaints(root):
    found = [f"{path}:{first}: {name} has {last - first + 1} lines, more than {MOST}"
             for path, name, first, last in functions(root)
             if last - first + 1 > MOST and name not in TABLES.get(path, ())]
    return sorted(found)


def test_itself():
    def body(lines):
        return "int f() {\n" + "  g();\n" * (lines - 2) + "}\n"

    for text, expected in [(body(80), 0), (body(81), 1), (f"struct S {{\n{body(81)}}};\n", 1)]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "base").mkdir()
            (Path(folder) / "base" / "one.cc").write_text(text, encoding="utf-8")
            found = complaints(Path(folder))
            if len(found) != expected:
                print(f"FAIL: {expected} complaints expected, but these: {found}")
                sys.exit(1)


def main():
    version = shutil.which("ctags") and subprocess.run(["ctags", "--version"], text=True, capture_output=True, check=False).stdout
    if not version or "+json" not in version:
        print("SKIP: needs universal-ctags")
        sys.exit(77)
    if len(sys.argv) < 2:
        test_itself()
    root = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("srcdir", "."))
    found = complaints(root)
    print("\n".join(found) if found else "ok")
    sys.exit(1 if found else 0)


main()
