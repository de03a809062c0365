#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which part may include which, and no circles: neither between files nor between folders. The files of a folder with
layers include only those of their own and lower ones. Only commands throw: libraries return their errors. Headers that
are slow to compile are in one file. What newer libraries have moved to another header is included from there.

Usage: tests/includes.py [SOURCE_FOLDER]      exit: 0 all is well, 1 it is not, 99 cannot say
Without an argument the sources are those of $srcdir, and the test first tests itself on a tree with one mistake of each kind.
"""
import os
import re
import sys
import tempfile
from pathlib import Path

# A part may include itself and what stands here. An entry with a slash is a folder of a part.
ALLOWED = {
    "base": [],
    "policy": [],
    "record": ["base", "policy"],
    "timeline": ["base", "policy/core"],
    "sim": ["base", "policy", "record", "timeline"],
    "studies": ["base", "policy/core", "sim"],
    "shim": ["base", "policy", "record", "timeline"],
    "plugin": ["shim"],
}
# The header whose comment lists the layers of its folder: "//   NUMBER  WORDS: FILE, FILE", continued on further lines.
LAYERED = "shim/controller/controller.h"
LAYER = re.compile(r"^//   (\d)  [^:]*:((?:[ \w,]|\n//      )+)$", re.MULTILINE)
# Commands, and what they call to throw an error that a library has returned.
MAY_THROW = re.compile(r"sim/errors\.h|sim/cli/.*|studies/[^/]+/command[^/]*")
# Running out of memory is the affair of main(), and passing an exception on is no throw.
THROW = re.compile(r"\b(?:throw(?!;| std::bad_alloc\(\))|or_throw)\b")
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# CLI11's headers take longer to compile than most of our files.
SLOW, SLOW_IN = re.compile(r'^\s*#\s*include\s*<(CLI/[^>]+)>', re.MULTILINE), "base/command_line.cc"
# fmt from 11 on has join() in no other header.
MOVED, MOVED_TO = re.compile(r"\bfmt::join\("), "<fmt/ranges.h>"
SUFFIXES = {".h", ".cc", ".c"}


def read_tree(root):
    """{file: files of ours that it includes}, all relative to the root. Generated headers and Slurm's are not there."""
    tree = {}
    for path in sorted(path for part in ALLOWED for path in (root / part).rglob("*") if path.suffix in SUFFIXES):
        name = path.relative_to(root).as_posix()
        targets = set()
        for text in INCLUDE.findall(path.read_text(encoding="utf-8")):
            candidates = [f"{os.path.dirname(name)}/{text}", text]
            targets.update([each for each in candidates if "/" in each and (root / each).is_file()][:1])
        tree[name] = sorted(targets)
    return tree


def is_below(name, folders):
    return any(name.startswith(folder + "/") for folder in folders)


def forbidden(tree):
    for name, targets in tree.items():
        part = name.partition("/")[0]
        allowed = [part, *ALLOWED[part]]
        yield from (f"{name} includes {target}: {part} may include only {', '.join(allowed)}"
                    for target in targets if not is_below(target, allowed))


def layer_mistakes(root, tree):
    folder = os.path.dirname(LAYERED)
    text = (root / LAYERED).read_text(encoding="utf-8")
    layers = [(int(number), name) for number, names in LAYER.findall(text) for name in re.findall(r"\w+", names)]
    layer_of = {name: number for number, name in layers}
    stems = {name: Path(name).stem for name in tree if os.path.dirname(name) == folder}
    yield from (f"{LAYERED} names {name} twice" for number, name in layers if layer_of[name] != number)
    yield from (f"{LAYERED} names {name}, and there is no such file"
                for name in sorted(set(layer_of) - set(stems.values())))
    yield from (f"{LAYERED} names no layer of {name}" for name in sorted(set(stems.values()) - set(layer_of)))
    yield from (f"{name} includes {target}, which is of a higher layer" for name, stem in stems.items()
                for target in tree[name] if layer_of.get(stems.get(target), 0) > layer_of.get(stem, 9))


def throws(root, tree):
    for name in tree:
        if not is_below(name, ["sim", "studies"]) or MAY_THROW.fullmatch(name):
            continue
        text = COMMENT_OR_TEXT.sub(lambda found: "\n" * found[0].count("\n"), (root / name).read_text(encoding="utf-8"))
        yield from (f"{name}:{number} throws: only commands do, libraries return their errors"
                    for number, line in enumerate(text.split("\n"), 1) if THROW.search(line))


def slow_headers(root, tree):
    for name in tree:
        if name != SLOW_IN:
            yield from (f"{name} includes <{header}>: only {SLOW_IN} does, because it is slow to compile"
                        for header in SLOW.findall((root / name).read_text(encoding="utf-8")))


def moved(root, tree):
    for name in tree:
        text = (root / name).read_text(encoding="utf-8")
        found = MOVED.search(COMMENT_OR_TEXT.sub("", text))
        if found and f"#include {MOVED_TO}" not in text:
            yield f"{name} uses {found[0][:-1]} and does not include {MOVED_TO}"


def circles(graph):
    """Groups of nodes that reach each other, each sorted (Tarjan's algorithm)."""
    order, low, stack, groups = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for target in graph.get(node, ()):
            if target not in order:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == order[node]:
            group = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(group) > 1 or node in graph.get(node, ()):
                groups.append(sorted(group))

    for node in graph:
        if node not in order:
            visit(node)
    return groups


def between_folders(tree):
    """(file, file that it includes) where neither folder holds the other: a folder and its subfolders are one thing."""
    for name, targets in tree.items():
        for target in targets:
            one, other = os.path.dirname(name) + "/", os.path.dirname(target) + "/"
            if not one.startswith(other) and not other.startswith(one):
                yield name, target


def folder_graph(tree):
    graph = {}
    for name, target in between_folders(tree):
        graph.setdefault(os.path.dirname(name), set()).add(os.path.dirname(target))
        graph.setdefault(os.path.dirname(target), set())
    return {folder: sorted(targets) for folder, targets in graph.items()}


def mistakes(root, tree):
    yield from forbidden(tree)
    yield from layer_mistakes(root, tree)
    yield from throws(root, tree)
    yield from slow_headers(root, tree)
    yield from moved(root, tree)
    yield from ("files include each other: " + ", ".join(group) for group in circles(tree))
    for group in circles(folder_graph(tree)):
        yield "folders include each other: " + ", ".join(group)
        yield from (f"  {name} includes {target}" for name, target in between_folders(tree)
                    if os.path.dirname(name) in group and os.path.dirname(target) in group)


def selftest():
    """Lines that a tree with known mistakes should have given and has not."""
    sources = {
        "policy/core/a.h": '#include "sim/host/b.h"\n',
        "sim/host/b.h": "#include <vector>\n",
        "sim/host/c.cc": '#include "shim/d.h"\n  #  include "b.h"\n',
        "shim/d.h": '#include "e.h"\n',
        "shim/e.h": '#include "shim/d.h"\n',
        "sim/io/f.h": '#include "sim/fetch/g.h"\n',
        "sim/fetch/g.h": '// nothing\n',
        "sim/fetch/h.h": '#include "sim/io/f.h"\n',
        "studies/x/i.cc": '#include "policy/core/a.h"\n#include "policy/yield/j.h"\n',
        "policy/yield/j.h": "\n",
        "shim/s.cc": "#include <fmt/format.h>\nfmt::join(a);\n",
        "shim/t.cc": '#include <fmt/ranges.h>\nfmt::join(a);\n// fmt::join(\n',
        "shim/u.cc": '"fmt::join(a)" // fmt::join(\n',
        "sim/cli/main.cc": '#include "studies/x/k.h"\nthrow Failure();\n',
        "sim/io/q.cc": '// throw\n"throw"; throw std::bad_alloc();\n/*\nthrow */ throw 1; throw;\nor_throw(f());\n',
        "studies/x/command_y.cc": "throw 1;\n",
        "studies/x/z/command.cc": "throw 1;\n",
        "studies/x/k.h": "\n",
        "base/command_line.cc": "#include <CLI/CLI.hpp>\n",
        "shim/r.cc": "// <CLI/CLI.hpp>\n# include <CLI/App.hpp>\n",
        "base/l.h": '#include "record/m.h"\n',
        "record/m.h": '#include "policy/yield/j.h"\n#include "tests/n.h"\n',
        "tests/n.h": "\n",
        "sim/io/deep/o.h": '#include "sim/io/f.h"\n',
        "sim/io/p.h": '#include "sim/io/deep/o.h"\n',
        LAYERED: "//   1  stages: controller, high,\n//      gone\n//   0  values, without more: low, high\n",
        "shim/controller/high.h": "\n",
        "shim/controller/low.cc": '#include "shim/controller/controller.h"\n',
        "shim/controller/new.cc": '#include "shim/controller/controller.h"\n',
    }
    wanted = [
        "base/l.h includes record/m.h: base may include only base",
        "policy/core/a.h includes sim/host/b.h: policy may include only policy",
        "record/m.h includes tests/n.h: record may include only record, base, policy",
        "sim/cli/main.cc includes studies/x/k.h: sim may include only sim, base, policy, record, timeline",
        "sim/host/c.cc includes shim/d.h: sim may include only sim, base, policy, record, timeline",
        "studies/x/i.cc includes policy/yield/j.h: studies may include only studies, base, policy/core, sim",
        f"{LAYERED} names high twice",
        f"{LAYERED} names gone, and there is no such file",
        f"{LAYERED} names no layer of new",
        f"shim/controller/low.cc includes {LAYERED}, which is of a higher layer",
        "sim/io/q.cc:4 throws: only commands do, libraries return their errors",
        "sim/io/q.cc:5 throws: only commands do, libraries return their errors",
        "studies/x/z/command.cc:1 throws: only commands do, libraries return their errors",
        "shim/r.cc includes <CLI/App.hpp>: only base/command_line.cc does, because it is slow to compile",
        "shim/s.cc uses fmt::join and does not include <fmt/ranges.h>",
        "files include each other: shim/d.h, shim/e.h",
        "folders include each other: sim/fetch, sim/io",
        "  sim/fetch/h.h includes sim/io/f.h",
        "  sim/io/f.h includes sim/fetch/g.h",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sources.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = list(mistakes(Path(folder), read_tree(Path(folder))))
    return found == wanted or print("ERROR: the self test found:", *found, "instead of:", *wanted, sep="\n")


def main():
    if len(sys.argv) < 2 and not selftest():
        return 99
    root = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("srcdir", "."))
    tree = read_tree(root)
    if not tree:
        print(f"ERROR: no sources in {root}")
        return 99
    found = list(mistakes(root, tree))
    for line in found:
        print(line if line.startswith("  ") else f"FAIL: {line}")
    print(f"{len(tree)} files, {sum(len(targets) for targets in tree.values())} includes, {len(found)} lines of complaint")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
