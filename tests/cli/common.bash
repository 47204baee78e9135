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

validate_each() { # the same for each document of a JSON array
	/usr/bin/python3 - "$SCHEMA/$1.json" "$2" <<'PY'
import json, sys
import jsonschema
validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
for document in json.load(open(sys.argv[2])):
    validator.validate(document)
PY
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# As an unprivileged user; the program is copied to where that user can read it.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

# Everything that a test starts carries this mark, so that other people's runs do not count.
export ZH_TEST_MARK="$$-$BATS_TEST_NUMBER-$RANDOM"

# What a run of ours left behind: processes, BPF programs that nobody holds, files, queues on lo.
leftovers() {
	local environ pid
	for environ in $(grep -lsz "^ZH_TEST_MARK=$ZH_TEST_MARK\$" /proc/[0-9]*/environ 2>/dev/null); do
		pid=${environ#/proc/}
		pid=${pid%/environ}
		case $(cat "/proc/$pid/comm" 2>/dev/null) in
		zerohop | zh | zh-* | nft) echo "process $pid" ;;
		esac
	done
	[ "$(id -u)" = 0 ] && bpftool -j prog list 2>/dev/null |
		jq -r '.[] | select((.name // "") | startswith("zh_")) |
			select((.pids // []) | length == 0) | "bpf program \(.id) \(.name)"'
	find "$BATS_TEST_TMPDIR" -name '*.tmp-*'
	find /dev/shm "${TMPDIR:-/tmp}" -maxdepth 1 -name 'zerohop*' -newer "$BATS_TEST_TMPDIR/.start" 2>/dev/null
	true
}

setup() {
	: > "$BATS_TEST_TMPDIR/.start"
}

# The kernel takes a moment to free what a killed process held.
nothing_left() {
	local left
	for _ in $(seq 40); do
		left=$(leftovers)
		[ -z "$left" ] && return 0
		sleep 0.25
	done
	printf 'left behind: %s\n' "$left"
	return 1
}
