/* SPDX-License-Identifier: BSD-2-Clause */
/* Each drop cause, by each kind of evidence; runs without loss stay silent. */
#include "explain/test-build.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

static const struct {
	const char *reason; /* name of the drop reason stamp, or NULL */
	int error;          /* of send, or 0 */
	const char *counter;
	const char *expected;
	enum zh_transport_id transport;
} cases[] = {
	{"CPU_BACKLOG", 0, NULL, "backlog-overflow", ZH_TRANSPORT_UDP},
	{"SOCKET_RCVBUFF", 0, NULL, "socket-buffer-full", ZH_TRANSPORT_UDP},
	{"TCP_LISTEN_OVERFLOW", 0, NULL, "accept-overflow", ZH_TRANSPORT_TCP},
	{"NETFILTER_DROP", 0, NULL, "firewall-drop", ZH_TRANSPORT_ICMP},
	{"NETFILTER_DROP", 0, "conntrack.stat.drop", "conntrack-drop", ZH_TRANSPORT_UDP},
	{"TC_INGRESS", 0, NULL, "bpf-drop", ZH_TRANSPORT_ICMP},
	{"QDISC_OVERLIMIT", 0, NULL, "qdisc-drop", ZH_TRANSPORT_UDP},
	{"DEV_READY", 0, NULL, "device-drop", ZH_TRANSPORT_UDP},
	{"IP_RPFILTER", 0, NULL, "route-drop", ZH_TRANSPORT_UDP},
	{"UNIX_DISCONNECT", 0, NULL, "unix-queue-full", ZH_TRANSPORT_UNIX_DGRAM},
	{"NOT_SPECIFIED", 0, NULL, "unspecified-drop", ZH_TRANSPORT_UDP},
	{NULL, EPERM, NULL, "firewall-drop", ZH_TRANSPORT_ICMP},
	{NULL, ENETUNREACH, NULL, "route-drop", ZH_TRANSPORT_ICMP},
	{NULL, ENOBUFS, NULL, "qdisc-drop", ZH_TRANSPORT_UDP},
	{NULL, EAGAIN, NULL, "unix-queue-full", ZH_TRANSPORT_UNIX_DGRAM},
	{NULL, 0, "softnet.cpu.1.dropped_pkts", "backlog-overflow", ZH_TRANSPORT_UDP},
	{NULL, 0, "snmp.Udp.RcvbufErrors", "socket-buffer-full", ZH_TRANSPORT_UDP},
	{NULL, 0, "netstat.TcpExt.ListenOverflows", "accept-overflow", ZH_TRANSPORT_TCP},
	{NULL, 0, "netstat.TcpExt.IPReversePathFilter", "route-drop", ZH_TRANSPORT_UDP},
	{NULL, 0, "filter.lo.0.drops_pkts", "bpf-drop", ZH_TRANSPORT_ICMP},
	{NULL, 0, "link.lo.rx_dropped_pkts", "device-drop", ZH_TRANSPORT_ICMP},
	{NULL, 0, "netstat.TcpExt.TCPPureAcks", "unspecified-drop", ZH_TRANSPORT_UDP},
	{NULL, 0, NULL, "unspecified-drop", ZH_TRANSPORT_UDP},
};

static void build_run(struct builder *b, size_t n)
{
	char counter[64];
	unsigned int i;

	build_start(b, 100, cases[n].transport);
	if (cases[n].counter) {
		zh_fact_number(&b->r->before, 5, "%s", cases[n].counter);
		zh_fact_number(&b->r->after, 25, "%s", cases[n].counter);
	}
	for (i = 0; i < 100; i++) {
		struct zh_sample *s;

		if (i % 5) {
			build_healthy_run(b, 1);
			continue;
		}
		s = build_lost(b);
		if (cases[n].error) {
			s->flags = ZH_SAMPLE_SEND_FAILED | ZH_SAMPLE_LOST;
			s->send_errno = (int16_t)cases[n].error;
		}
		if (cases[n].reason)
			build_stamp(b, s, ZH_POINT_DROP, 0, s->send_ns + 5 * US, 0, 42);
	}
	if (cases[n].reason) {
		snprintf(counter, sizeof(counter), "drop_reason.%s", cases[n].reason);
		zh_record_counter(b->r, counter, 42);
	}
}

static void every_kind_of_evidence(void **state)
{
	size_t n;

	(void)state;
	for (n = 0; n < ZH_ARRAY_SIZE(cases); n++) {
		struct builder b;
		struct zh_explanation *e;
		const struct zh_finding *f;

		build_run(&b, n);
		e = explain_or_fail(&b);
		f = finding_of(e, cases[n].expected);
		if (!f)
			fail_msg("%s was not named", cases[n].expected);
		assert_int_equal(f->samples, 20);
		assert_true(f->attributed_share == 1);
		assert_int_equal(f->severity, ZH_SEVERITY_CRITICAL);
		assert_non_null(f->evidence[0]);
		assert_string_equal(zh_explanation_verdict(e, b.r), "findings");
		zh_explanation_free(e);
		zh_record_free(b.r);
	}
}

/* Somebody else's service, and what came of it instead of replies. */
static void a_service_that_does_not_echo(void **state)
{
	static const struct {
		int error;
		bool send_failed;
		const char *says;
	} answers[] = {
		{0, false, "does not answer probes"},
		{ECONNREFUSED, false, "The peer refused"},
		{EPIPE, true, "The peer refused"},
	};
	size_t n;

	(void)state;
	for (n = 0; n < ZH_ARRAY_SIZE(answers); n++) {
		struct builder b;
		struct zh_explanation *e;
		const struct zh_finding *f;
		unsigned int i;

		build_start(&b, 20, ZH_TRANSPORT_TCP);
		b.r->phases[0].own_responder = 0;
		for (i = 0; i < 20; i++) {
			struct zh_sample *s = build_lost(&b);

			s->send_errno = (int16_t)answers[n].error;
			s->n_stamps = 0;
			if (answers[n].send_failed)
				s->flags |= ZH_SAMPLE_SEND_FAILED;
		}
		e = explain_or_fail(&b);
		f = finding_of(e, "unspecified-drop");
		assert_non_null(f);
		assert_non_null(strstr(f->summary, answers[n].says));
		zh_explanation_free(e);
		zh_record_free(b.r);
	}
}

/* The request reached the responder's socket and no reply came. */
static void seen_at_the_responder(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	unsigned int i;

	(void)state;
	build_start(&b, 50, ZH_TRANSPORT_UDP);
	build_healthy_run(&b, 45);
	for (i = 0; i < 5; i++) {
		struct zh_sample *s = build_lost(&b);

		build_stamp(&b, s, ZH_POINT_TX_QUEUE, 0, s->send_ns + 5 * US, 0, 1);
		build_stamp(&b, s, ZH_POINT_SOCK, 0, s->send_ns + 9 * US, 0, 0);
	}
	e = explain_or_fail(&b);
	assert_non_null(finding_of(e, "late-responder"));
	assert_int_equal(finding_of(e, "late-responder")->samples, 5);
	assert_null(finding_of(e, "unspecified-drop"));
	zh_explanation_free(e);
	zh_record_free(b.r);
}

/* lo is down: no counter moves; the setting is the evidence, and the check's finding leads. */
static void settings_are_evidence(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	unsigned int i;

	(void)state;
	build_start(&b, 60, ZH_TRANSPORT_ICMP);
	zh_fact_number(&b.r->before, 0, "link.lo.flags.up");
	zh_fact_number(&b.r->after, 0, "link.lo.flags.up");
	for (i = 0; i < 60; i++)
		build_lost(&b);
	e = explain_or_fail(&b);
	assert_non_null(finding_of(e, "route-drop"));
	assert_string_not_equal(e->findings[0].rule->id, "route-drop");
	zh_explanation_free(e);
	zh_record_free(b.r);
}

static void no_loss_no_finding(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	size_t n;

	(void)state;
	for (n = 0; n < ZH_ARRAY_SIZE(cases); n++) {
		build_start(&b, 50, ZH_TRANSPORT_UDP);
		build_healthy_run(&b, 50);
		e = explain_or_fail(&b);
		assert_null(finding_of(e, cases[n].expected));
		zh_explanation_free(e);
		zh_record_free(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_evidence),
		cmocka_unit_test(a_service_that_does_not_echo),
		cmocka_unit_test(seen_at_the_responder),
		cmocka_unit_test(settings_are_evidence),
		cmocka_unit_test(no_loss_no_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
