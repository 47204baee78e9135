#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turns a file list into a registry: a table of pointers to one descriptor per file.

usage: gen-registry.py TYPE OUTPUT FILE...

`busy-read.c` of TYPE `knob` declares `extern const struct zh_knob zh_knob_busy_read;`. The table
is `const struct zh_knob *const zh_knob_registry[]`, in list order, ended by NULL. A file without
its descriptor fails at link time, so a registry cannot lose an entry silently.
"""
import pathlib
import sys


def main():
    kind, output, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    names = [f"zh_{kind}_{pathlib.Path(f).stem.replace('-', '_')}" for f in files]
    lines = ["/* Made by tools/gen-registry.py; do not edit. */", f"struct zh_{kind};"]
    lines += [f"extern const struct zh_{kind} {name};" for name in names]
    table = f"const struct zh_{kind} *const zh_{kind}_registry[]"
    lines += [f"extern {table};", f"{table} = {{"]
    lines += [f"\t&{name}," for name in names] + ["\t0,", "};"]
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


main()
