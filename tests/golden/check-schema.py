#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fails when a kept document does not fit the schema: check-schema.py SCHEMA DOCUMENT..."""
import json
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3 has no jsonschema")
    sys.exit(77)


def main():
    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    bad = 0
    for path in sys.argv[2:]:
        for error in validator.iter_errors(json.load(open(path))):
            print(f"{path}: {error.json_path}: {error.message}")
            bad += 1
    sys.exit(1 if bad else 0)


main()
