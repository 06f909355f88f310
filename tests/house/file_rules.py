#!/usr/bin/env python3
"""Is every file small, self-contained and free of this or any machine's private facts?

usage: file_rules.py [ROOT]     prints each breach as file:line, exits 1 if there is one
"""
import pathlib
import re
import subprocess
import sys

MAX_LINES = 400  # the aim is 300; beyond this a file holds two ideas
SOURCE = {".h", ".cc", ".c", ".inc", ".py", ".proto", ".cmake", ".sh"}
TEXT = SOURCE | {".md", ".txt", ".yaml", ".yml", ".json", ".urdf"}
PRIVATE = re.compile(r"(?<![\w.])/(?:home|root|work)/\w")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def tracked(root):
    out = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True)
    if out.returncode == 0:
        return [root / n for n in out.stdout.decode().split("\0") if n]
    return [p for p in root.rglob("*") if p.is_file() and "build" not in p.parts]


def breaches(root):
    for path in tracked(root):
        if path.suffix not in TEXT or not path.is_file() or path.name == pathlib.Path(__file__).name:
            continue
        name = path.relative_to(root).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        golden = name.startswith("tests/golden/")
        if path.suffix in SOURCE and len(lines) > MAX_LINES and not golden:
            yield f"{name}:{len(lines)}: longer than {MAX_LINES} lines"
        if path.suffix == ".h" and "#pragma once" not in lines:
            yield f"{name}:1: no #pragma once"
        for number, line in enumerate(lines, 1):
            if PRIVATE.search(line):
                yield f"{name}:{number}: names an absolute path of one machine"
            if path.suffix in SOURCE and UNFINISHED.search(line):
                yield f"{name}:{number}: unfinished"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = list(breaches(root))
    print("\n".join(found) or "file rules kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
