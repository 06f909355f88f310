"""Does the program start and answer right on a processor without AVX? qemu-user plays one.

usage: emulated.py TORQUECTL     exit code 77: qemu-x86_64 is not installed, or this is no x86-64
"""
import json
import platform
import shutil
import subprocess
import sys

SKIPPED = 77
QUESTION = ["--local", "--json", "sweep", "ur5e", "--box", "limits", "--speed", "0.5", "--samples", "2000"]


def ask(command):
    # 2: some torque is beyond its limit, which is no failure here.
    run = subprocess.run(command + QUESTION, capture_output=True, text=True, timeout=100, check=False)
    if run.returncode not in (0, 2):
        sys.exit(f"{command}: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def main():
    qemu = shutil.which("qemu-x86_64")
    if qemu is None or platform.machine() != "x86_64":
        return SKIPPED
    here, there = ask([sys.argv[1]]), ask([qemu, "-cpu", "Nehalem", sys.argv[1]])
    used = there["kernel"]["instruction_set"]
    if used != "baseline":
        sys.exit(f"kernels without AVX: {used}, want baseline")
    compared = 0
    for a, b in zip(here["cases"][0]["columns"], there["cases"][0]["columns"]):
        size = max(abs(a["minimum"]["sampled_value"]), abs(a["maximum"]["sampled_value"]))
        pairs = [(a["mean"], b["mean"]), (a["rms"], b["rms"])]
        pairs += [(a[end]["sampled_value"], b[end]["sampled_value"]) for end in ("minimum", "maximum")]
        for x, y in pairs:
            compared += 1
            if abs(x - y) > 1e-12 * size + 1e-14:
                sys.exit(f"{a['name']}: {x} here, {y} without AVX")
    print(f"{compared} numbers agree between {here['kernel']['instruction_set']} and {used}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
