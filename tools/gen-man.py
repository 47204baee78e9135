#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes scdoc sources of the manual from what the program says of itself.

usage: gen-man.py ZEROHOP TEMPLATE OUTPUT

A template line "@OPTIONS COMMAND@" becomes the command's option list as its --help prints it, and
"@FINDINGS@" the documentation of every cause, check and stage, so that neither can drift.
"""
import json
import re
import subprocess
import sys


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def escape(text):
    return re.sub(r"([_*\\#<>~])", r"\\\1", text or "")


def options(zerohop, command):
    lines = run(zerohop, command, "--help").split("\nOptions:\n")[1].split("\n\n")[0].splitlines()
    out = []
    for line in lines:
        m = re.match(r"\s+((?:-\w, )?--\S+(?: [A-Z]+)?)\s+(.*)", line)
        if m:
            out += [f"*{escape(m.group(1))}*", "\t" + escape(m.group(2)) + ".", ""]
    return "\n".join(out)


def findings(zerohop):
    everything = json.loads(run(zerohop, "explain", "-j"))
    out = []
    for part, title in [("causes", "CAUSES"), ("checks", "CHECKS"), ("stages", "STAGES")]:
        out.append(f"# {title}\n")
        for entry in everything[part]:
            rule = json.loads(run(zerohop, "explain", "-j", entry["id"]))
            out.append(f"## {escape(rule['id'])} ({escape(rule['code'])})\n")
            for key, lead in [("summary", ""), ("why", ""), ("evidence", "Evidence: "),
                              ("cure", "Cure: "), ("cost", "Cost: "), ("verify", "Verify: ")]:
                if rule.get(key):
                    out.append(lead + escape(rule[key]) + "\n")
    return "\n".join(out)


def main():
    zerohop, template, output = sys.argv[1:4]
    text = open(template).read()
    text = re.sub(r"@OPTIONS (\w+)@", lambda m: options(zerohop, m.group(1)), text)
    if "@FINDINGS@" in text:
        text = text.replace("@FINDINGS@", findings(zerohop))
    open(output, "w").write(text)


main()
