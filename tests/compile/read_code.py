#!/usr/bin/env python3
"""Executes emitted vector code by reading objdump's disassembly, and compares with the interpreter's answers.

So AVX-512 code is checked where no processor runs it. Knows the few instructions that emit.cc writes; anything else fails.

usage: read_code.py WRITE_CODE avx2|avx512
"""
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

LINE = re.compile(r"^\s*([0-9a-f]+):\t(?:[0-9a-f]{2} )+\s*\t?(\S+)?\s*(.*)$")
MEMORY = re.compile(r"\[(rdi|rip)([+-]0x[0-9a-f]+)?\]")
TOLERANCE = 1e-11


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def number(b):
    return struct.unpack("<d", struct.pack("<Q", b))[0]


class Machine:
    def __init__(self, code, block, lanes):
        self.code, self.block, self.lanes = code, block, lanes
        self.registers, self.masks = {}, {}

    def read(self, operand, next_address):
        operand = operand.strip()
        if re.match(r"^[yz]mm\d+", operand):
            return self.registers[operand.split("{")[0]]
        where = MEMORY.search(operand)
        base, offset = where.group(1), int(where.group(2) or "0", 16)
        count = self.lanes if re.search(r"[YZ]MMWORD", operand) else 1  # one double for every lane: QWORD, QWORD BCST
        if base == "rip":
            at = next_address + offset
            values = list(struct.unpack_from(f"<{count}d", self.code, at))
        else:
            if offset % (8 * self.lanes):
                raise ValueError(f"unaligned {operand}")
            values = self.block[offset // 8: offset // 8 + count]
        return values * (self.lanes // count)

    def step(self, name, text, next_address):
        operands = re.split(r",(?![^\[]*\])", text.split("#")[0].strip())
        target = operands[0].strip()
        read = [lambda o=o: self.read(o, next_address) for o in operands]
        if name == "vmovapd" and "[" in target:
            offset = int(MEMORY.search(target).group(2) or "0", 16)
            self.block[offset // 8: offset // 8 + self.lanes] = read[1]()
            return
        if name == "vcmppd" or re.match(r"vcmp\w+pd", name):
            a, b = read[1](), read[2]()
            kind = name[4:-2] or {"0x1e": "gt_oq", "0x11": "lt_oq"}[operands[3].strip()]
            hit = [x > y if kind == "gt_oq" else x < y for x, y in zip(a, b)]
            if kind not in ("gt_oq", "lt_oq"):
                raise ValueError(f"comparison {name}")
            if target.startswith("k"):
                self.masks[target] = hit
            else:
                self.registers[target] = [number(2**64 - 1 if h else 0) for h in hit]
            return
        mask = re.search(r"\{(k\d)\}", target)
        register = target.split("{")[0]
        self.registers[register] = self.value(name, register, read, mask and self.masks[mask.group(1)])

    def value(self, name, register, read, mask):
        if name == "vmovapd":
            return list(read[1]())
        if name == "vbroadcastsd":
            values = read[1]()
            return [v if mask is None or mask[i] else 0.0 for i, v in enumerate(values)]
        if name == "vblendmpd":
            return [y if m else n for n, y, m in zip(read[1](), read[2](), mask)]
        if name == "vblendvpd":
            return [y if bits(m) >> 63 else n for n, y, m in zip(read[1](), read[2](), read[3]())]
        if name == "vsqrtpd":
            return [math.sqrt(x) if x >= 0 else math.nan for x in read[1]()]
        simple = {
            "vaddpd": lambda a, b: a + b, "vsubpd": lambda a, b: a - b, "vmulpd": lambda a, b: a * b,
            "vdivpd": lambda a, b: a / b if b else math.inf,
            "vxorpd": lambda a, b: number(bits(a) ^ bits(b)), "vandpd": lambda a, b: number(bits(a) & bits(b)),
        }
        if name == "vxorpd" and read[1].__defaults__ == read[2].__defaults__:
            return [0.0] * self.lanes
        if name in simple:
            return [simple[name](a, b) for a, b in zip(read[1](), read[2]())]
        fused = re.match(r"vf(n?)m(add|sub)(132|213|231)pd", name)
        if not fused:
            raise ValueError(f"unknown instruction {name}")
        x, y, z = self.registers[register], read[1](), read[2]()
        a, b, c = {"132": (x, z, y), "213": (y, x, z), "231": (y, z, x)}[fused.group(3)]
        sign, plus = (-1 if fused.group(1) else 1), (1 if fused.group(2) == "add" else -1)
        return [sign * p * q + plus * r for p, q, r in zip(a, b, c)]


def run(stem):
    code = stem.with_suffix(".bin").read_bytes()
    words = stem.with_suffix(".txt").read_text().split()
    lanes, slots, first = map(int, words[:3])
    values = [float(w) for w in words[3:]]
    inputs, want = values[:first * lanes], values[first * lanes:]
    machine = Machine(code, inputs + [0.0] * ((slots - first) * lanes), lanes)
    listing = subprocess.run(["objdump", "-D", "-w", "-b", "binary", "-mi386:x86-64", "-Mintel", stem.with_suffix(".bin")],
                             capture_output=True, text=True, check=True).stdout
    lines = [m for m in map(LINE.match, listing.splitlines()) if m and m.group(2)]
    for line, following in zip(lines, lines[1:] + lines[-1:]):
        if line.group(2) == "ret":
            break
        if line.group(2) != "vzeroupper":
            machine.step(line.group(2), line.group(3), int(following.group(1), 16))
    else:
        raise ValueError("no return")
    got = machine.block[first * lanes: first * lanes + len(want)]
    scale = max(1.0, max(abs(w) for w in want))
    worst = max(abs(g - w) for g, w in zip(got, want)) / scale
    if not worst <= TOLERANCE:
        raise ValueError(f"{stem.name}: differs by {worst}")
    return worst


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], sys.argv[2], folder], check=True)
        worst = max(run(p.with_suffix("")) for p in sorted(pathlib.Path(folder).glob("*.bin")))
    print(f"{sys.argv[2]}: largest difference {worst:.2g}")


if __name__ == "__main__":
    main()
