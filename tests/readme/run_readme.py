#!/usr/bin/env python3
"""Does what a README shows really happen? Runs its console blocks against a fresh server and compares the output.

A block fenced as ```console holds commands ("$ " at the start of a line; a command goes on over lines while its quotes
are open) and, below each, its output. Numbers may differ by 1e-6 relative or 1e-9; a line "..." stands for any lines,
"..." inside a line for any words. Blocks fenced ```console-untested are prose (installing, plots on a screen). A block
fenced ```cpp file=PATH must stand in PATH word for word.

usage: run_readme.py --bin BUILD/bin --root SOURCE [--write] README...
       --write puts the real output where it differs; read the difference before you keep it
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from server import Server  # noqa: E402

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def blocks(text):
    """Yields (first line number, fence info, lines)."""
    info, start, body = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if info is None and line.startswith("```"):
            info, start, body = line[3:].strip(), number + 1, []
        elif info is not None and line.startswith("```"):
            yield start, info, body
            info = None
        elif info is not None:
            body.append(line)


def commands(start, lines):
    """Yields (line number, command, expected output lines)."""
    i = 0
    while i < len(lines):
        if not lines[i].startswith("$ "):
            raise SystemExit(f"line {start + i}: output before any command: {lines[i]!r}")
        number, command = start + i, lines[i][2:]
        i += 1
        while command.endswith("\\") or open_quotes(command):
            command += "\n" + lines[i]
            i += 1
        expected = []
        while i < len(lines) and not lines[i].startswith("$ "):
            expected.append(lines[i])
            i += 1
        yield number, command, expected


def open_quotes(command):
    try:
        shlex.split(command, comments=True)
        return False
    except ValueError:
        return True


def same_number(a, b):
    return abs(a - b) <= max(1e-9, 1e-6 * max(abs(a), abs(b)))


def same_line(expected, actual):
    if "..." in expected:
        pattern = ".*".join(re.escape(part.strip()) for part in expected.split("..."))
        return re.search(pattern, actual) is not None
    want, got = NUMBER.findall(expected), NUMBER.findall(actual)
    if len(want) != len(got) or NUMBER.sub("#", expected).split() != NUMBER.sub("#", actual).split():
        return False
    return all(same_number(float(w), float(g)) for w, g in zip(want, got))


def same_output(expected, actual):
    """Index of the first expected line that has no match, or None."""
    at, skipping = 0, False
    for index, line in enumerate(expected):
        if line.strip() == "...":
            skipping = True
            continue
        while at < len(actual) and skipping and not same_line(line, actual[at]):
            at += 1
        if at >= len(actual) or not same_line(line, actual[at]):
            return index
        at, skipping = at + 1, False
    return None if skipping or at == len(actual) else len(expected)


def put_output(path, number, command, expected, actual):
    """Replaces the expected lines below the command at line `number` by the real ones."""
    lines = path.read_text(encoding="utf-8").splitlines()
    first = number - 1 + command.count("\n") + 1
    lines[first:first + len(expected)] = actual
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(actual) - len(expected)


def check_readme(path, root, environment, scratch, write=False):
    failures, count, moved = [], 0, 0
    for start, info, lines in blocks(path.read_text(encoding="utf-8")):
        if info.startswith("cpp file="):
            source = (root / info.split("=", 1)[1]).read_text(encoding="utf-8")
            count += 1
            if "\n".join(lines) not in source:
                failures.append(f"{path.name}:{start}: this text does not stand in {info.split('=', 1)[1]}")
        if info != "console":
            continue
        for number, command, expected in commands(start, lines):
            count += 1
            done = subprocess.run(["bash", "-c", command], cwd=scratch, env=environment, capture_output=True, text=True,
                                  timeout=120)
            actual = (done.stdout + done.stderr).rstrip("\n").splitlines()
            wrong = same_output([line.rstrip() for line in expected], [line.rstrip() for line in actual])
            if wrong is not None:
                if write:
                    moved += put_output(path, number + moved, command, expected, actual)
                shown = expected[wrong] if wrong < len(expected) else "(no more lines)"
                failures.append(f"{path.name}:{number}: $ {command}\n  expected line {wrong + 1}: {shown}\n  real output:\n    "
                                + "\n    ".join(actual))
    return failures, count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("readmes", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    bin_dir, root = arguments.bin.resolve(), arguments.root.resolve()
    server = Server(bin_dir, root)
    failures, count = [], 0
    try:
        environment = dict(os.environ, TORQUED_SERVER=server.address, NO_COLOR="1", COLUMNS="120",
                           PATH=f"{bin_dir}:{os.environ['PATH']}", PYTHONPATH=str(bin_dir.parent / "python"))
        with tempfile.TemporaryDirectory() as scratch:
            os.symlink(root / "deploy", pathlib.Path(scratch) / "deploy")
            os.symlink(root / "client", pathlib.Path(scratch) / "client")
            os.symlink(bin_dir.parent.parent, pathlib.Path(scratch) / "build")
            for path in arguments.readmes:
                found, checked = check_readme(path, root, environment, scratch, arguments.write)
                failures, count = failures + found, count + checked
    finally:
        server.stop()
    print("\n".join(failures))
    print(f"{count} commands and excerpts, {len(failures)} differ")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
