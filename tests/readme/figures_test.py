#!/usr/bin/env python3
"""Are the figures of a README what its commands draw? Each command with --plot is run; every picture that the page shows must be among
what was drawn, well-formed, self-contained, small, and show the same panels and curves as the file that is kept.

usage: figures_test.py --bin BUILD/bin --root SOURCE [--write] README
       --write keeps what was drawn
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from run_readme import blocks, commands  # noqa: E402
from server import Server  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def words(path, faults):
    """Names in a picture, numbers left out; what is wrong with it goes to `faults`."""
    text = path.read_text(encoding="utf-8")
    if len(text) >= 100_000:
        faults.append(f"{path.name}: {len(text)} bytes, want less than 100 kB")
    for never in ("<script", "href", "url(", "nan", "inf "):
        if never in text:
            faults.append(f"{path.name}: holds {never!r}")
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        faults.append(f"{path.name}: {error}")
        return []
    if root.tag != SVG + "svg":
        faults.append(f"{path.name}: root is {root.tag}, want svg")
    said = [(t.text or "").strip() for t in root.iter(SVG + "text")]
    if not any(len(p.get("d", "")) > 200 for p in root.iter(SVG + "path")):
        faults.append(f"{path.name}: no curve")
    return sorted(w for w in said[1:] if not re.fullmatch(r"[-+0-9.e]+", w))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("readme", type=pathlib.Path)
    arguments = parser.parse_args()
    bin_dir, readme = arguments.bin.resolve(), arguments.readme.resolve()
    text = readme.read_text(encoding="utf-8")
    shown = [readme.parent / name for name in re.findall(r"!\[[^\]]*\]\(([^)]+\.svg)\)", text)]
    faults = [] if shown else [f"{readme.name}: shows no figure"]
    server = Server(bin_dir, arguments.root.resolve())
    try:
        environment = dict(os.environ, TORQUED_SERVER=server.address, PATH=f"{bin_dir}:{os.environ['PATH']}")
        with tempfile.TemporaryDirectory() as scratch:
            for start, info, lines in blocks(text):
                for number, command, _ in commands(start, lines) if info == "console" else ():
                    if "--plot" in command:
                        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=scratch, env=environment,
                                              capture_output=True, text=True, timeout=120)
                        if done.returncode not in (0, 141):  # head closes the pipe
                            faults.append(f"{readme.name}:{number}: exit code {done.returncode}: {done.stderr}")
            for kept in shown:
                drawn = pathlib.Path(scratch) / kept.name
                if not drawn.exists():
                    faults.append(f"{kept.name}: no command draws it")
                    continue
                if arguments.write:
                    kept.parent.mkdir(exist_ok=True)
                    kept.write_bytes(drawn.read_bytes())
                fresh = words(drawn, faults)
                if not kept.exists():
                    faults.append(f"{kept}: is not kept")
                elif words(kept, faults) != fresh:
                    faults.append(f"{kept.name}: its names differ from those drawn: {fresh}")
    finally:
        server.stop()
    print("\n".join(faults) or f"{len(shown)} figures")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
