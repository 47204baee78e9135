#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks sizes and bans under src/: functions, files, headers, forbidden calls.

Fails above the hard limits (function 100 lines, file 800, header 160 with its licence) and on a banned
call; prints a warning above the soft ones (function 60, file 500).
"""
import pathlib
import re
import sys

BANS = [(r"\bsprintf\s*\(", "sprintf"), (r"\bstrcpy\s*\(", "strcpy"), (r"\batoi\s*\(", "atoi"),
        (r"\bsystem\s*\(", "system")]
EXIT_ALLOWED = {"cmd", "lab"}  # lab: forked children, by _exit


def functions(lines):
    """Yields (name, first line, length) for bodies that open with '{' in column 0."""
    start = None
    for n, line in enumerate(lines, 1):
        if line == "{" and n > 1:
            start = n
            k = n - 2
            while k > 0 and not re.match(r"[\w].*\(", lines[k]):
                k -= 1
            name = re.search(r"(\w+)\s*\(", lines[k])
        elif line == "}" and start:
            yield (name.group(1) if name else "?", start, n - start + 1)
            start = None


def check(path, module):
    lines = path.read_text().splitlines()
    # A .bpf.h is a part of a BPF program's source, not an interface.
    hard = 160 if path.suffix == ".h" and not path.name.endswith(".bpf.h") else 800
    if len(lines) > hard:
        yield f"{path}: {len(lines)} lines, at most {hard}"
    elif len(lines) > 500:
        print(f"warning: {path}: {len(lines)} lines")
    for name, first, length in functions(lines):
        if length > 100:
            yield f"{path}:{first}: {name}() has {length} lines, at most 100"
        elif length > 60:
            print(f"warning: {path}:{first}: {name}() has {length} lines")
    for n, line in enumerate(lines, 1):
        code = re.sub(r'"(\\.|[^"\\])*"|^\s*(/\*|\*).*', '""', line)
        for pattern, what in BANS:
            if re.search(pattern, code):
                yield f"{path}:{n}: {what}() is banned"
        if module not in EXIT_ALLOWED and re.search(r"(?<!_)\bexit\s*\(", code):
            yield f"{path}:{n}: exit() below cmd"


def main():
    root = pathlib.Path(sys.argv[1])
    bad = [b for p in sorted(root.rglob("*.[ch]"))
           for b in check(p, p.relative_to(root).parts[0])]
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


main()
