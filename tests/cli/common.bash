# Shared by the end-to-end tests. ZEROHOP, SCHEMA and ZH_TESTS come from Meson.
bats_require_minimum_version 1.5.0

validate() { # validate SCHEMA-NAME FILE: one JSON document that fits its schema
	/usr/bin/python3 - "$SCHEMA/$1.json" "$2" <<'PY'
import json, sys
import jsonschema
schema, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
jsonschema.Draft202012Validator(schema).validate(json.loads(text))
PY
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# As an unprivileged user; the program is copied to where that user can read it.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

# What a run could leave behind: namespaces, qdiscs, BPF programs, temporary files, processes.
leftovers() {
	ip netns list 2>/dev/null
	tc qdisc show 2>/dev/null
	bpftool prog list 2>/dev/null | grep -c '^[0-9]' || true
	find /sys/fs/cgroup -maxdepth 3 -name 'zerohop*' 2>/dev/null || true
	find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'zerohop*' 2>/dev/null || true
	pgrep -c -x zerohop || true
}
