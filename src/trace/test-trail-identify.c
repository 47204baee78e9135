/* SPDX-License-Identifier: BSD-2-Clause */
/* Which packet is ours, from bytes: the code that also runs in the kernel. */
#include "trace/trail-identify.bpf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define RUN 0x1234abcdu

static struct zh_trail_control control;

/* A packet that is being built, front to back. */
struct packet {
	uint8_t bytes[256];
	uint32_t len;
};

static void put(struct packet *p, const void *bytes, size_t n)
{
	memcpy(p->bytes + p->len, bytes, n);
	p->len += (uint32_t)n;
}

static void put_u16(struct packet *p, uint32_t value)
{
	const uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};

	put(p, bytes, 2);
}

static void put_u32(struct packet *p, uint32_t value)
{
	put_u16(p, value >> 16);
	put_u16(p, value & 0xffff);
}

static void put_ip(struct packet *p, int family, uint8_t protocol, uint32_t options)
{
	uint8_t head[60] = {};

	if (family == 4) {
		head[0] = (uint8_t)(0x45 + options / 4);
		head[9] = protocol;
		put(p, head, 20 + options);
	} else {
		head[0] = 0x60;
		head[6] = protocol;
		put(p, head, 40);
	}
}

static void put_wire(struct packet *p, uint32_t run, uint32_t seq, uint32_t leg)
{
	const struct zh_wire wire = {.magic = ZH_WIRE_MAGIC, .run = run, .seq = seq, .leg = leg};

	put(p, &wire, sizeof(wire));
}

static void put_icmp(struct packet *p, uint8_t type, uint8_t code)
{
	const uint8_t head[8] = {type, code};

	put(p, head, sizeof(head));
}

static void put_udp(struct packet *p, uint32_t source, uint32_t dest)
{
	put_u16(p, source);
	put_u16(p, dest);
	put_u16(p, 8 + sizeof(struct zh_wire));
	put_u16(p, 0);
}

static void put_tcp(struct packet *p, uint32_t source, uint32_t dest, uint32_t seq, uint32_t ack,
	uint32_t flags)
{
	put_u16(p, source);
	put_u16(p, dest);
	put_u32(p, seq);
	put_u32(p, ack);
	put_u16(p, 0x5000 | flags);
	put_u32(p, 0);
	put_u16(p, 0);
}

static bool identify(const struct packet *p, struct trail_seen *ret)
{
	/* Of just that size, so that a sanitizer sees what is read beyond. */
	unsigned char *copy = malloc(p->len ? p->len : 1);
	struct trail_bytes bytes = {.at = copy, .len = p->len};
	bool ours;

	assert_non_null(copy);
	memcpy(copy, p->bytes, p->len);
	ours = trail_identify(&control, &bytes, ret);
	free(copy);
	return ours;
}

static void expect(const struct packet *p, uint32_t seq, uint8_t leg, uint16_t icmp)
{
	struct trail_seen seen;

	assert_true(identify(p, &seen));
	assert_int_equal(seen.seq, seq);
	assert_int_equal(seen.leg, leg);
	assert_int_equal(seen.icmp, icmp);
	assert_int_equal(seen.family, p->bytes[0] >> 4);
}

static void expect_foreign(const struct packet *p)
{
	struct trail_seen seen;

	assert_false(identify(p, &seen));
}

static void begin(enum zh_transport_id transport, uint16_t remote_port)
{
	memset(&control, 0, sizeof(control));
	control.transport = transport;
	control.run = RUN;
	control.remote_port = remote_port;
}

static void udp(void **state)
{
	struct packet p = {}, other = {}, verbatim = {};

	(void)state;
	begin(ZH_TRANSPORT_UDP, 7);
	put_ip(&p, 4, TRAIL_UDP, 40);
	put_udp(&p, 40000, 7);
	put_wire(&p, RUN, 5, 0);
	expect(&p, 5, 0, 0);
	p.bytes[6] = 0x20; /* more fragments: the first one */
	expect(&p, 5, 0, 0);
	p.bytes[7] = 1; /* not the first one */
	expect_foreign(&p);
	put_ip(&other, 6, TRAIL_UDP, 0);
	put_udp(&other, 40000, 7);
	put_wire(&other, RUN + 1, 5, 0);
	expect_foreign(&other);
	/* A service that is not ours sends back what it got. */
	put_ip(&verbatim, 6, TRAIL_UDP, 0);
	put_udp(&verbatim, 7, 40000);
	put_wire(&verbatim, RUN, 6, 0);
	expect(&verbatim, 6, 1, 0);
	control.transport = ZH_TRANSPORT_TCP;
	expect_foreign(&verbatim);
}

/* The header is in pages that cannot be read: then the port must have been told. */
static void udp_by_port(void **state)
{
	struct packet there = {}, back = {}, foreign = {};

	(void)state;
	begin(ZH_TRANSPORT_UDP, 7);
	put_ip(&there, 4, TRAIL_UDP, 0);
	put_udp(&there, 40000, 7);
	expect_foreign(&there);
	control.ports[40000] = 3 + 1;
	expect(&there, 3, 0, 0);
	put_ip(&back, 4, TRAIL_UDP, 0);
	put_udp(&back, 7, 40000);
	expect(&back, 3, 1, 0);
	put_ip(&foreign, 4, TRAIL_UDP, 0);
	put_udp(&foreign, 40000, 53);
	expect_foreign(&foreign);
}

static void echo(int family, uint8_t request, uint8_t reply)
{
	struct packet there = {}, back = {}, other = {};
	uint8_t protocol = family == 4 ? TRAIL_ICMP : TRAIL_ICMPV6;

	begin(ZH_TRANSPORT_ICMP, 0);
	put_ip(&there, family, protocol, 0);
	put_icmp(&there, request, 0);
	put_wire(&there, RUN, 9, 0);
	expect(&there, 9, 0, 0);
	put_ip(&back, family, protocol, 0);
	put_icmp(&back, reply, 0);
	put_wire(&back, RUN, 9, 0);
	expect(&back, 9, 1, 0);
	put_ip(&other, family, protocol, 0);
	put_icmp(&other, 13, 0); /* some other type */
	put_wire(&other, RUN, 9, 0);
	expect_foreign(&other);
	control.transport = ZH_TRANSPORT_UDP;
	expect_foreign(&there);
}

static void echoes(void **state)
{
	(void)state;
	echo(4, 8, 0);
	echo(6, 128, 129);
}

static void error_about_udp(struct packet *p, int family, uint32_t leg)
{
	*p = (struct packet){};
	put_ip(p, family, family == 4 ? TRAIL_ICMP : TRAIL_ICMPV6, 0);
	put_icmp(p, family == 4 ? 3 : 1, 4);
	put_ip(p, family, TRAIL_UDP, family == 4 ? 8 : 0);
	put_udp(p, 40000, 7);
	put_wire(p, RUN, 2, leg);
}

static void errors(void **state)
{
	struct packet p;

	(void)state;
	begin(ZH_TRANSPORT_UDP, 7);
	error_about_udp(&p, 4, 0);
	expect(&p, 2, 1, 0x304);
	/* Only 8 bytes are quoted. */
	p.len -= (uint32_t)sizeof(struct zh_wire);
	expect_foreign(&p);
	control.ports[40000] = 2 + 1;
	expect(&p, 2, 1, 0x304);
	error_about_udp(&p, 6, 0);
	expect(&p, 2, 1, 0x104);
	/* About a reply: that is no answer to us. */
	error_about_udp(&p, 4, 1);
	expect_foreign(&p);
	/* Cut off anywhere: never ours without the ports, and nothing read beyond the end. */
	error_about_udp(&p, 6, 0);
	for (control.ports[40000] = 0, p.len--; p.len; p.len--)
		expect_foreign(&p);
	expect_foreign(&p);
}

static void error_about_echo(void **state)
{
	struct packet p = {};

	(void)state;
	begin(ZH_TRANSPORT_ICMP, 0);
	put_ip(&p, 4, TRAIL_ICMP, 0);
	put_icmp(&p, 11, 0);
	put_ip(&p, 4, TRAIL_ICMP, 0);
	put_icmp(&p, 8, 0);
	put_wire(&p, RUN, 1, 0);
	expect(&p, 1, 1, 0xb00);
}

static struct packet segment(
	uint32_t source, uint32_t dest, uint32_t seq, uint32_t ack, uint32_t flags)
{
	struct packet p = {};

	put_ip(&p, 4, TRAIL_TCP, 0);
	put_tcp(&p, source, dest, seq, ack, flags);
	return p;
}

static void expect_segment(uint32_t source, uint32_t dest, uint32_t seq, uint32_t ack,
	uint32_t flags, uint32_t number, uint8_t leg)
{
	struct packet p = segment(source, dest, seq, ack, flags);

	expect(&p, number, leg, 0);
}

static void expect_foreign_segment(
	uint32_t source, uint32_t dest, uint32_t seq, uint32_t ack, uint32_t flags)
{
	struct packet p = segment(source, dest, seq, ack, flags);

	expect_foreign(&p);
}

#define SYN TRAIL_SYN
#define SYN_ACK (TRAIL_SYN | TRAIL_ACK)
#define RST_ACK (TRAIL_RST | TRAIL_ACK)

static void attempts(void **state)
{
	const uint32_t isn = 0xffffffff; /* its acknowledgement is 0 */

	(void)state;
	begin(ZH_TRANSPORT_TCP, 80);
	expect_foreign_segment(40000, 80, isn, 0, SYN);
	control.ports[40000] = 4 + 1;
	expect_segment(40000, 80, isn, 0, SYN, 4, 0);
	expect_segment(80, 40000, 77, isn + 1, SYN_ACK, 4, 1);
	/* Behind NAT, both ports are others. */
	expect_segment(2000, 8080, isn, 0, SYN, 4, 0);
	expect_segment(8080, 2000, 77, isn + 1, SYN_ACK, 4, 1);
	/* Refused, or the end of an established connection. */
	expect_segment(80, 40000, 0, isn + 1, RST_ACK, 4, 1);
	expect_foreign_segment(80, 40000, 78, isn + 1, RST_ACK);
	expect_foreign_segment(40000, 80, isn + 1, 78, TRAIL_ACK);
	expect_foreign_segment(40000, 80, isn + 1, 0, TRAIL_RST);
	expect_foreign_segment(80, 40000, 77, isn + 2, SYN_ACK);
	/* Somebody else's connection from the same port, and the next one of ours. */
	expect_foreign_segment(40000, 443, 1000, 0, SYN);
	expect_segment(40000, 80, 1000, 0, SYN, 4, 0);
}

/* NAT of the own output comes before anything is seen where no hook counts. */
static void attempt_seen_translated(void **state)
{
	(void)state;
	begin(ZH_TRANSPORT_TCP, 80);
	control.ports[40000] = 1;
	expect_segment(40000, 8080, 5, 0, SYN, 0, 0);
	expect_segment(8080, 40000, 6, 6, SYN_ACK, 0, 1);
}

static void error_about_attempt(void **state)
{
	struct packet p = {};

	(void)state;
	begin(ZH_TRANSPORT_TCP, 80);
	control.ports[40000] = 1 + 1;
	expect_segment(40000, 80, 0xabcdef01, 0, SYN, 1, 0);
	put_ip(&p, 4, TRAIL_ICMP, 0);
	put_icmp(&p, 3, 13);
	put_ip(&p, 4, TRAIL_TCP, 0);
	put_u16(&p, 2000);
	put_u16(&p, 8080);
	put_u32(&p, 0xabcdef01);
	expect(&p, 1, 1, 0x30d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(udp),
		cmocka_unit_test(udp_by_port),
		cmocka_unit_test(echoes),
		cmocka_unit_test(errors),
		cmocka_unit_test(error_about_echo),
		cmocka_unit_test(attempts),
		cmocka_unit_test(attempt_seen_translated),
		cmocka_unit_test(error_about_attempt),
	};

	return cmocka_run_group_tests_name("trail-identify", tests, NULL, NULL);
}
