#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No function of the sources is longer than 80 lines, unless it is a table.

Usage: tests/function_lengths.py [SOURCE_FOLDER]      exit: 0 all is well, 1 it is not, 77 skipped, 99 cannot say
Without an argument the sources are those of $srcdir, and the test first tests itself.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 80
FOLDERS = ["base", "policy", "record", "timeline", "sim", "studies", "shim", "plugin", "tests", "examples", "docs"]
SUFFIXES = {".c", ".cc", ".h", ".py", ".js", ".sh"}
KINDS = {"C": "f", "C++": "f", "Python": "fm", "JavaScript": "fmg", "Sh": "f"}
# Lists of entries, one like the other. Add to these only what has no control flow.
TABLES = {"shim/conf/settings.cc": {"all_settings"}, "tests/shim/admin/sample_status.h": {"sample_status"}}


def is_script(path):
    """A shell script without a suffix."""
    if path.suffix or not path.is_file():
        return False
    with open(path, "rb") as file:
        return re.match(rb"#!.*sh\b", file.readline(80)) is not None


def functions(root):
    """(file, name, first line, last line) of each function with a body, by ctags."""
    found = [path for folder in FOLDERS for path in (root / folder).rglob("*")] + [root / "quickstart"]
    files = sorted(path.relative_to(root).as_posix() for path in found
                   if (path.suffix in SUFFIXES or is_script(path)) and "lib" not in path.parts)
    if not files:
        print(f"{root} has no sources")
        sys.exit(99)
    kinds = [f"--kinds-{language}={kinds}" for language, kinds in KINDS.items()]
    made = subprocess.run(["ctags", "--output-format=json", "--fields=+nel", "--languages=" + ",".join(KINDS), *kinds,
                           "--langmap=C++:+.h", "--guess-language-eagerly", "-L", "-", "-f", "-"], cwd=root,
                          input="\n".join(files), text=True, capture_output=True, check=True)
    for line in made.stdout.splitlines():
        tag = json.loads(line)
        if "end" in tag:
            yield tag["path"], tag["name"], tag["line"], tag["end"]
        elif tag["language"] in ("JavaScript", "Sh"):
            yield tag["path"], tag["name"], tag["line"], last_line(root / tag["path"], tag["line"])


def last_line(path, first):
    """Of a function in JavaScript or shell, for which ctags does not say it: its closing bracket is in its column."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head = lines[first - 1]
    if sum(head.count(each) for each in "({") <= sum(head.count(each) for each in ")}"):
        return first
    indentation = re.match(r"\s*", head)[0]
    closing = re.compile(re.escape(indentation) + r"[)}](?!.*[({]$)")
    return next((k for k in range(first + 1, len(lines) + 1) if closing.match(lines[k - 1])), len(lines))


def complaints(root):
    found = [f"{path}:{first}: {name} has {last - first + 1} lines, more than {MOST}"
             for path, name, first, last in functions(root)
             if last - first + 1 > MOST and name not in TABLES.get(path, ())]
    return sorted(found)


def test_itself():
    def body(head, lines, end="}\n"):
        return head + "  g();\n" * (lines - head.count("\n") - len(end.splitlines())) + end

    def both(name, head, end="}\n", before="", after=""):
        return [(name, before + body(head, MOST + more, end) + after, more) for more in (0, 1)]

    short = "h() { i; }\n"
    for name, text, expected in [
            *both("one.cc", "int f() {\n"),
            *both("one.cc", "int f() {\n", before="struct S {\n", after="};\n"),
            *both("one.py", "def f():\n", ""),
            *both("one.py", " def f(self):\n", "", before="class C:\n", after="x = 1\n"),
            *both("one.js", "function f(a,\n  b\n) {\n", after=short),
            *both("one.js", "  f() {\n", "  }\n", before="class C {\n", after="}\n"),
            *both("one.sh", "f() {\n", after=short),
            *both("one.sh", "f() (\n", ")\n"),
            *both("script", "f() {\n", before="#!/bin/sh\n")]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "base").mkdir()
            (Path(folder) / "base" / name).write_text(text, encoding="utf-8")
            found = complaints(Path(folder))
            if len(found) != expected:
                print(f"FAIL: {name}: {expected} complaints expected, but these: {found}")
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
