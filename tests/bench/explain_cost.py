#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What it costs that a policy could state reasons, while nobody asks for them: instructions of dfrs-sim beside a program
that is built without those lines. Valgrind counts them, so that the noise is a few in a million.

Usage: tests/bench/explain_cost.py [JOBS]      in the build folder, after `make dfrs-sim`; needs valgrind
Output: a line per algorithm: instructions without the lines, with them, and while a job is explained."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
ALGORITHMS = ("EASY", "EASY/shared", "GreedyPM*/per/OPT=MIN/MINVT=600", "Triage")
# Of policy/core: what is left of the lines.
CUTS = {"cluster_state.h": (("return reasons_ != nullptr;", "return false;"),
                            ("if (reasons_ != nullptr) reasons_->push_back(reason);", "(void)reason;")),
        "decision.h": (("    reasons.clear();\n", ""),)}


def variables(text):
    """What the makefile makes of it."""
    made = subprocess.run(["make", "-s", "-f", "-", "print-it"], input=f"include Makefile\nprint-it:\n\t@echo '{text}'\n",
                          check=True, stdout=subprocess.PIPE, universal_newlines=True)
    return made.stdout.split()


def without_reasons(folder):
    """Builds the other program: the sources that state reasons, before the library with all others."""
    core = folder / "policy/core"
    core.mkdir(parents=True)
    for name, cuts in CUTS.items():
        text = (SOURCE / "policy/core" / name).read_text(encoding="utf-8")
        for old, new in cuts:
            if text.count(old) != 1:
                sys.exit(f"policy/core/{name} does not have '{old.strip()}' once")
            text = text.replace(old, new)
        (core / name).write_text(text, encoding="utf-8")
    library = folder / "libpolicy.a"
    library.write_bytes(Path("libpolicy.a").read_bytes())
    compiler = variables("$(CXX) $(DEFS) -I%s $(DEFAULT_INCLUDES) $(INCLUDES) $(libpolicy_a_CPPFLAGS) $(CPPFLAGS) $(AM_CXXFLAGS) "
                         "$(CXXFLAGS)" % folder)
    states = re.compile(r"\bexplains?\(|decisions_\.clear\(")
    for source in sorted((SOURCE / "policy").rglob("*.cc")):
        if not states.search(source.read_text(encoding="utf-8")):
            continue
        built = folder / f"libpolicy_a-{source.stem}.o"
        subprocess.run([*compiler, "-c", str(source), "-o", str(built)], check=True)
        subprocess.run(["ar", "r", str(library), str(built)], check=True, stderr=subprocess.DEVNULL)
    program = folder / "dfrs-sim"
    link = variables("$(CXXLD) $(AM_CXXFLAGS) $(CXXFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o %s $(dfrs_sim_OBJECTS) $(dfrs_sim_LDADD) "
                     "$(LIBS)" % program)
    subprocess.run([str(library) if word == "libpolicy.a" else word for word in link], check=True)
    return program


def instructions(program, *words):
    """Of one run, and what it prints."""
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program), "run", *words],
                         check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    return int(re.search(r"Collected : (\d+)", run.stderr)[1]), run.stdout


def main():
    jobs = sys.argv[1] if len(sys.argv) > 1 else "500"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        other = without_reasons(folder)
        trace = folder / "trace.dfrs"
        with open(trace, "w", encoding="utf-8") as out:
            subprocess.run(["./dfrs-sim", "generate", "--jobs", jobs, "--nodes", "128", "--load", "0.9", "--seed", "1"], check=True,
                           stdout=out)
        for algorithm in ALGORITHMS:
            words = (str(trace), "-a", algorithm, "--no-bound")
            less, same = instructions(other, *words)
            count, result = instructions("./dfrs-sim", *words)
            if result != same:
                sys.exit(f"{algorithm}: the two programs differ in results")
            noise = abs(instructions("./dfrs-sim", *words)[0] / count - 1)
            explained, _ = instructions("./dfrs-sim", *words, "--explain", "1")
            print(f"{algorithm}: {less:,} without, {count:,} with ({count / less - 1:+.3%}; a second run differs by {noise:.4%}), "
                  f"{explained:,} explaining ({explained / less - 1:+.2%})", flush=True)


if __name__ == "__main__":
    main()
