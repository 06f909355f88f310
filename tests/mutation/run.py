#!/usr/bin/env python3
"""Do the tests notice one wrong sign or factor in each algorithm? Usage: run.py [--build DIR] [--jobs N] [--only NAME,...]
[--smoke] [--list] [--table].

Every mutant of mutants.py is compiled into the same test programs behind a switch, so that each program is built once:
`right` becomes `(TorquedMutant(k) ? (wrong) : (right))`, and the environment says which k is on. Each program must pass with
none on; then each mutant must make its program fail (or hang). Exit code 1: some mutant lived."""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from mutants import MUTANTS

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++20", "-O0", "-DNDEBUG", "-w"]
ORACLE = ["tests/oracle/lagrange.cc", "tests/oracle/random_tree.cc", "tests/oracle/builder.cc", "tests/oracle/match.cc"]
# Test -> (sources, filter). Sources are the suite's own; trees.cc stands in for any_robot.cc, without files to read.
TESTS = {
    "trees": (["tests/dynamics/lagrange_test.cc", "tests/dynamics/property_test.cc", "tests/mutation/trees.cc", *ORACLE], "*"),
    "published": (["tests/dynamics/textbook_test.cc", "tests/dynamics/published_test.cc",
                   "tests/dynamics/known_faults_test.cc", *ORACLE], "*"),
    "friction": (["tests/analysis/drive_test.cc"], "Friction*"),
    "identify": (["tests/analysis/identify_test.cc"], "*"),
    "derivatives": (["tests/analysis/derivatives_test.cc"], "*"),
    "hand": (["tests/analysis/hand_test.cc"], "*"),
    "support": (["tests/analysis/terms_test.cc"], "Support*"),
    "terms": (["tests/analysis/terms_test.cc"], "*"),
    "ik": (["tests/analysis/ik_test.cc"], "*"),
    "simulate": (["tests/analysis/simulate_test.cc"], "*"),
    "drive": (["tests/analysis/drive_test.cc"], "*"),
}
# The smallest program, for every run of the test suite.
SMOKE = ["friction-stribeck", "friction-decay", "friction-sigmoid"]
LAUNCHER = ["ccache"] if shutil.which("ccache") else []
PATIENCE_S = 120  # of one program; a mutant that runs longer is noticed

SWITCH = """#pragma once
#include <cstdlib>
inline bool TorquedMutant(int k) {
  static const int on = [] { const char* text = std::getenv("TORQUED_MUTANT"); return text ? std::atoi(text) : 0; }();
  return on == k;
}
"""


def plant(overlay, numbered):
    """Copies server/core to the overlay with every mutant behind its switch."""
    shutil.rmtree(overlay, ignore_errors=True)
    shutil.copytree(ROOT / "server/core", overlay / "server/core")
    (overlay / "mutant.h").write_text(SWITCH)
    for number, (name, file, place, wrong, _) in numbered:
        path = overlay / "server/core" / file
        text = path.read_text()
        before, right, after = re.fullmatch(r"(.*)«(.*)»(.*)", place, re.S).groups()
        if text.count(before + right + after) != 1:
            sys.exit(f"{name}: {file} has the place {text.count(before + right + after)} times, want once: {place}")
        path.write_text(text.replace(before + right + after,
                                     f"{before}(TorquedMutant({number}) ? ({wrong}) : ({right})){after}"))


def build(build_dir, overlay, sources):
    """One object per source and build; returns {source: object}."""
    def compile_one(source):
        target = build_dir / (source.replace("/", "_") + ".o")
        command = [*LAUNCHER, "c++", *FLAGS, "-include", str(overlay / "mutant.h"), "-I", str(overlay), "-I", str(ROOT),
                   "-I", "/usr/include/eigen3", "-c", str(ROOT / source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{source}: {done.stderr[:4000]}")
        return source, target
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return dict(pool.map(compile_one, sources))


def link(build_dir, name, objects):
    program = build_dir / name
    subprocess.run(["c++", "-o", str(program), *map(str, objects), "-lgtest_main", "-lgtest", "-lpthread"], check=True)
    return program


def run(program, test_filter, number):
    """'pass', or why it did not."""
    environment = {**os.environ, "TORQUED_MUTANT": str(number), "GTEST_COLOR": "no"}
    command = [str(program), f"--gtest_filter={test_filter}", "--gtest_fail_fast", "--gtest_brief=1"]
    try:
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return "did not end"
    if done.returncode == 0:
        return "pass"
    failed = re.search(r"\[  FAILED  \] ([\w/]+\.[\w/]+)", done.stdout)
    return failed.group(1) if failed else f"ended with {done.returncode}"


def main():
    global JOBS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build/mutation")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--table", action="store_true", help="the results as the README's table")
    arguments = parser.parse_args()
    JOBS = arguments.jobs
    wanted = SMOKE if arguments.smoke else [n for n in arguments.only.split(",") if n]
    unknown = set(wanted) - {m[0] for m in MUTANTS}
    if unknown or len({m[0] for m in MUTANTS}) != len(MUTANTS):
        sys.exit(f"unknown or repeated mutants: {', '.join(sorted(unknown))}")
    numbered = [(k, m) for k, m in enumerate(MUTANTS, 1) if not wanted or m[0] in wanted]
    if arguments.list:
        print("\n".join(m[0] for _, m in numbered))
        return 0

    build_dir = Path(arguments.build)
    build_dir = (build_dir if build_dir.is_absolute() else ROOT / build_dir)
    build_dir.mkdir(parents=True, exist_ok=True)
    overlay = build_dir / "overlay"
    plant(overlay, numbered)
    tests = sorted({m[4] for _, m in numbered})
    start = time.time()
    objects = build(build_dir, overlay, sorted({s for t in tests for s in TESTS[t][0]}))
    programs = {t: link(build_dir, t, [objects[s] for s in TESTS[t][0]]) for t in tests}
    for t in tests:
        why = run(programs[t], TESTS[t][1], 0)
        if why != "pass":
            sys.exit(f"{t}: fails without any mutant: {why}")
    print(f"{len(programs)} programs built and passing in {time.time() - start:.0f} s", flush=True)

    lived = []
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = pool.map(lambda item: run(programs[item[1][4]], TESTS[item[1][4]][1], item[0]), numbered)
        for (_, (name, file, place, wrong, test)), why in zip(numbered, results):
            if why == "pass":
                lived.append(name)
            if arguments.table:
                right = re.search(r"«(.*)»", place, re.S).group(1)
                print(f"| {name} | `{file}` | `{right}` -> `{wrong}` | {'**lived**' if why == 'pass' else why} |", flush=True)
            else:
                print(f"{'LIVED' if why == 'pass' else 'noticed':8} {name:24} {test:12} {'' if why == 'pass' else why}", flush=True)
    print(f"{len(numbered) - len(lived)} of {len(numbered)} mutants noticed in {time.time() - start:.0f} s"
          + (f"; lived: {', '.join(lived)}" if lived else ""))
    return 1 if lived else 0


if __name__ == "__main__":
    sys.exit(main())
