#!/usr/bin/env python3
"""Does an object built with wider instructions export only symbols that carry its instruction set in their names?

A weak symbol without it could be picked by the linker for every caller, also on a processor without the instructions.

usage: isa_symbols.py NM ARCHIVE OBJECT=NAME...     e.g. nm libtorqued_batch.a kernels_avx2.cc.o=Avx2
"""
import subprocess
import sys


def breaches(listing, members):
    """listing: nm's output for an archive; members: object name -> what each exported symbol must contain."""
    member, seen = None, set()
    for line in listing.splitlines():
        if line.endswith(":"):
            member = line[:-1]
            continue
        fields = line.split()
        if member not in members or len(fields) < 3:
            continue
        kind, symbol = fields[-2], fields[-1]
        seen.add(member)
        if (kind.isupper() or kind in "vwu") and kind != "U" and members[member] not in symbol:
            yield f"{member}: {kind} {symbol} has no {members[member]} in its name"
    for missing in sorted(set(members) - seen):
        yield f"{missing}: not in the archive"


def main():
    nm, archive, *wanted = sys.argv[1:]
    members = dict(w.split("=") for w in wanted)
    listing = subprocess.run([nm, archive], capture_output=True, text=True, check=True).stdout
    found = list(breaches(listing, members))
    print("\n".join(found) or "every exported symbol names its instruction set")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
