#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts the results in one or more testlog.json of Meson and prints "N passed, N failed, N skipped".

Subtests (TAP) count one each; a test without subtests counts as one. Exits 1 when anything failed
or when nothing ran.
"""
import json
import re
import sys

PASS, SKIP = {"OK", "EXPECTEDFAIL"}, {"SKIP"}


def subtests(log):
    """(passed, failed, skipped) from TAP lines, or None when the test speaks no TAP."""
    counts = [0, 0, 0]
    for ok, rest in re.findall(r"^(not ok|ok)\b(.*)$", log, re.M):
        skipped = re.search(r"#\s*SKIP", rest, re.I)
        counts[2 if skipped else 0 if ok == "ok" else 1] += 1
    return counts if sum(counts) else None


def count(path, total):
    with open(path) as f:
        for line in f:
            test = json.loads(line)
            result = test["result"]
            counts = subtests(test.get("stdout") or "") or [0, 0, 0]
            if not sum(counts):
                counts[0 if result in PASS else 2 if result in SKIP else 1] += 1
            elif result not in PASS | SKIP and not counts[1]:
                counts[1] += 1
            total[:] = [a + b for a, b in zip(total, counts)]


def main():
    total = [0, 0, 0]
    for path in sys.argv[1:]:
        count(path, total)
    print("{} passed, {} failed, {} skipped".format(*total))
    sys.exit(1 if total[1] or not total[0] else 0)


main()
