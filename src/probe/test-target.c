/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe/target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

static void good_targets(void **state)
{
	static const struct {
		const char *text;
		enum zh_transport_id transport;
		const char *host;
		uint16_t port;
		const char *path;
	} good[] = {
		{"127.0.0.1", ZH_TRANSPORT_ICMP, "127.0.0.1", 0, ""},
		{"localhost", ZH_TRANSPORT_ICMP, "localhost", 0, ""},
		{"::1", ZH_TRANSPORT_ICMP, "::1", 0, ""},
		{"[::1]", ZH_TRANSPORT_ICMP, "::1", 0, ""},
		{"fe80::1%lo", ZH_TRANSPORT_ICMP, "fe80::1%lo", 0, ""},
		{"icmp:10.0.0.1", ZH_TRANSPORT_ICMP, "10.0.0.1", 0, ""},
		{"icmp:::1", ZH_TRANSPORT_ICMP, "::1", 0, ""},
		{"udp:127.0.0.1", ZH_TRANSPORT_UDP, "127.0.0.1", 0, ""},
		{"udp:127.0.0.1:53", ZH_TRANSPORT_UDP, "127.0.0.1", 53, ""},
		{"udp:[::1]:53", ZH_TRANSPORT_UDP, "::1", 53, ""},
		{"udp:[::1]", ZH_TRANSPORT_UDP, "::1", 0, ""},
		{"udp:::1", ZH_TRANSPORT_UDP, "::1", 0, ""},
		{"udp:[fe80::1%eth0]:7", ZH_TRANSPORT_UDP, "fe80::1%eth0", 7, ""},
		{"tcp:db.example:65535", ZH_TRANSPORT_TCP, "db.example", 65535, ""},
		{"tcp:localhost", ZH_TRANSPORT_TCP, "localhost", 0, ""},
		{"unix:", ZH_TRANSPORT_UNIX_STREAM, "", 0, ""},
		{"unix:/run/a:b", ZH_TRANSPORT_UNIX_STREAM, "", 0, "/run/a:b"},
		{"unix:@name", ZH_TRANSPORT_UNIX_STREAM, "", 0, "@name"},
		{"unix-dgram:", ZH_TRANSPORT_UNIX_DGRAM, "", 0, ""},
		{"unix-dgram:relative", ZH_TRANSPORT_UNIX_DGRAM, "", 0, "relative"},
	};
	struct zh_target target;
	struct zh_err err;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(good); i++) {
		if (zh_target_parse(good[i].text, &target, &err) < 0)
			fail_msg("%s: %s", good[i].text, err.text);
		assert_int_equal(target.transport, good[i].transport);
		assert_string_equal(target.host, good[i].host);
		assert_int_equal(target.port, good[i].port);
		assert_string_equal(target.path, good[i].path);
	}
}

static void bad_targets(void **state)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{"", "empty target: ADDRESS, icmp:HOST, udp:HOST[:PORT]"},
		{"udp:", "target 'udp:' names no host"},
		{"udp::53", "names no host"},
		{"icmp:", "names no host"},
		{"sctp:host", "unknown transport in target 'sctp:host'"},
		{"localhost:80", "unknown transport in target 'localhost:80'"},
		{"icmp:127.0.0.1:7", "icmp has no ports"},
		{"[::1]:7", "icmp has no ports"},
		{"udp:host:0", "bad port '0' in target 'udp:host:0': 1 to 65535"},
		{"udp:host:65536", "bad port '65536'"},
		{"udp:host:", "bad port ''"},
		{"udp:host:-1", "bad port '-1'"},
		{"udp:host:http", "bad port 'http'"},
		{"udp:host:1:2", "bad port '1:2'"},
		{"udp:[::1", "missing ']'"},
		{"udp:[::1]53", "unexpected '53'"},
		{"udp:[host]:53", "no IPv6 address between brackets"},
		{"udp:[]:53", "no IPv6 address between brackets"},
		{"udp:a b", "bad character in host name"},
		{"http://host", "unknown transport"},
		{"a/b", "bad character in host name"},
		{"unix:@", "names no socket behind '@'"},
	};
	char longest[400];
	struct zh_target target, untouched;
	struct zh_err err;
	size_t i;

	(void)state;
	memset(&untouched, 7, sizeof(untouched));
	for (i = 0; i < ZH_ARRAY_SIZE(bad); i++) {
		memset(&target, 7, sizeof(target));
		if (zh_target_parse(bad[i].text, &target, &err) != -EINVAL)
			fail_msg("'%s' was accepted", bad[i].text);
		if (!strstr(err.text, bad[i].part) || strchr(err.text, '\n'))
			fail_msg("'%s': %s", bad[i].text, err.text);
		assert_memory_equal(&target, &untouched, sizeof(target));
	}
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(zh_target_parse(longest, &target, &err), -EINVAL);
	assert_non_null(strstr(err.text, "longer than 255"));
	memcpy(longest, "unix:", 5);
	assert_int_equal(zh_target_parse(longest, &target, &err), -EINVAL);
	assert_non_null(strstr(err.text, "at most 107"));
	longest[5 + 107] = '\0';
	assert_int_equal(zh_target_parse(longest, &target, &err), 0);
	assert_int_equal(strlen(target.path), 107);
}

/* What is printed can be read again, and means the same address. */
static void formats_round_trip(void **state)
{
	static const char *const texts[] = {"127.0.0.1", "::1", "udp:127.0.0.1:53", "udp:[::1]:53",
		"tcp:10.1.2.3:7", "unix:/run/x", "unix:@name", "unix-dgram:relative"};
	struct zh_target target;
	struct zh_address address;
	struct zh_err err;
	char text[300];
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(texts); i++) {
		assert_int_equal(zh_target_parse(texts[i], &target, &err), 0);
		if (target.host[0])
			assert_int_equal(zh_resolve_host(&target, 0, &address, &err), 0);
		else
			zh_resolve_path(target.path, &address);
		zh_target_format(
			text, sizeof(text), zh_transport_by_id(target.transport), &address);
		assert_string_equal(text, texts[i]);
		assert_int_equal(zh_address_port(&address), target.port);
	}
}

static void names_that_cannot_be_resolved(void **state)
{
	struct zh_target target = {.host = "no-such-host.invalid"};
	struct zh_address address;
	struct zh_err err;

	(void)state;
	assert_int_equal(zh_resolve_host(&target, 0, &address, &err), -EINVAL);
	assert_non_null(strstr(err.text, "cannot resolve 'no-such-host.invalid': "));
	snprintf(target.host, sizeof(target.host), "::1");
	assert_int_equal(zh_resolve_host(&target, 4, &address, &err), -EINVAL);
	assert_string_equal(err.text, "cannot resolve '::1': not an IPv4 address");
	assert_int_equal(zh_resolve_host(&target, 6, &address, &err), 0);
	snprintf(target.host, sizeof(target.host), "127.0.0.1");
	assert_int_equal(zh_resolve_host(&target, 6, &address, &err), -EINVAL);
	assert_int_equal(zh_resolve_host(&target, 4, &address, &err), 0);
}

static void every_transport_is_registered(void **state)
{
	const struct zh_transport *t;
	int id;

	(void)state;
	for (id = 0; id < ZH_TRANSPORT_MAX; id++) {
		t = zh_transport_by_id((enum zh_transport_id)id);
		assert_non_null(t);
		assert_true(t->summary && t->summary[0] && t->socket && t->frame && t->parse);
		assert_true(t->max_bytes >= sizeof(struct zh_wire));
		assert_true(!!(t->flags & ZH_TRANSPORT_RESPONDER) == !!t->respond);
		assert_true(!!(t->flags & ZH_TRANSPORT_INET) != !!(t->flags & ZH_TRANSPORT_PATH));
		assert_string_equal(zh_transport_name(t->id), t->name);
	}
	assert_string_equal(zh_transport_name(ZH_TRANSPORT_MAX), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_targets),
		cmocka_unit_test(bad_targets),
		cmocka_unit_test(formats_round_trip),
		cmocka_unit_test(names_that_cannot_be_resolved),
		cmocka_unit_test(every_transport_is_registered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
