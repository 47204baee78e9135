#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fails when a file under src/ includes a header of a module that is not below its own layer."""
import pathlib
import re
import sys

LAYERS = [["base"], ["sys", "stats"], ["report", "record"], ["facts", "probe", "bench", "trace", "knobs"],
          ["explain"], ["session", "lab"], ["cmd", "agent"]]
# Within a line modules do not know each other, but for these.
ALLOWED = {("lab", "session")}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    rank = {m: i for i, line in enumerate(LAYERS) for m in line}
    bad = 0
    for path in sorted(root.rglob("*.[ch]")):
        own = path.relative_to(root).parts[0]
        for n, line in enumerate(path.read_text().splitlines(), 1):
            m = re.match(r'\s*#\s*include "(\w+)/', line)
            used = m and m.group(1)
            if not used or used == own or used not in rank or (own, used) in ALLOWED:
                continue
            if rank[used] >= rank[own]:
                print(f"{path}:{n}: {own} must not use {used}")
                bad += 1
    sys.exit(1 if bad else 0)


main()
