/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP frames that appear at a device's receive side (BPF_PROG_TEST_RUN with live frames, kernel
 * 5.18): no sending socket, no sending half of the stack. A call costs about a millisecond at the
 * sizes used at maximum, so rates are paced by the call: `burst` frames at once.
 */
#include "probe/load/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/util.h"
#include "probe/load/frame.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wshadow"
#include "load-xdp.skel.h"
#pragma GCC diagnostic pop

#define LIVE_FRAMES 2u /* BPF_F_TEST_XDP_LIVE_FRAMES */
#define BATCH 64
#define BURST_AT_MAXIMUM 4096
#define FIRST_PORT 20000
#define FRAME_MAX 3400 /* a frame, its headroom and the stack's own part lie in one page */
#define ETHER_IPV4 0x0800

struct injector {
	struct load_xdp *skeleton;
	struct load_frame *frame; /* mapped */
	struct xdp_md context;
	char *bytes; /* of a frame */
	size_t n_bytes;
};

static int be_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static uint16_t ip_checksum(const struct load_headers *headers)
{
	const uint8_t *bytes = &headers->version_ihl;
	uint32_t sum = 0;
	uint16_t word;
	size_t i;

	for (i = 0; i < 20; i += 2) {
		memcpy(&word, bytes + i, 2);
		sum += word;
	}
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

/* The device's index and address, in the calling process's namespace. */
static int read_device(const char *device, int *ret_ifindex, uint8_t mac[6])
{
	zh_autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {};

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%.15s", device);
	if (ioctl(fd, SIOCGIFINDEX, &request) < 0)
		return -errno;
	*ret_ifindex = request.ifr_ifindex;
	if (ioctl(fd, SIOCGIFHWADDR, &request) < 0)
		return -errno;
	memcpy(mac, request.ifr_hwaddr.sa_data, 6);
	return 0;
}

static void fill_headers(const struct zh_load *load, const uint8_t mac[6], struct load_headers *ret)
{
	uint16_t payload = (uint16_t)load->config.size_bytes;

	*ret = (struct load_headers){
		.from_mac = {2, 0, 0, 'z', 'h', 1},
		.ether_type = htons(ETHER_IPV4),
		.version_ihl = 0x45,
		.total_bytes = htons((uint16_t)(28 + payload)),
		.fragment = htons(0x4000),
		.ttl = 64,
		.protocol = IPPROTO_UDP,
		.from = load->from.v4.sin_addr.s_addr,
		.to = load->to.v4.sin_addr.s_addr,
		.to_port = load->to.v4.sin_port,
		.udp_bytes = htons((uint16_t)(8 + payload)),
	};
	memcpy(ret->to_mac, mac, 6);
	ret->ip_checksum = ip_checksum(ret);
}

static void injector_done(struct injector *injector)
{
	if (injector->frame)
		munmap(injector->frame, (size_t)sysconf(_SC_PAGESIZE));
	load_xdp__destroy(injector->skeleton);
	free(injector->bytes);
	*injector = (struct injector){};
}

static int map_frame(struct injector *injector)
{
	int fd = bpf_map__fd(injector->skeleton->maps.load_frames);
	void *at = mmap(
		NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	injector->frame = at;
	return 0;
}

static int injector_init(struct injector *injector, const struct zh_load *load)
{
	libbpf_print_fn_t before = libbpf_set_print(be_quiet);
	uint8_t mac[6];
	int ifindex = 0, r = read_device(load->config.device, &ifindex, mac);

	*injector =
		(struct injector){.n_bytes = sizeof(struct load_headers) + load->config.size_bytes};
	if (r == 0) {
		injector->bytes = calloc(1, injector->n_bytes);
		injector->skeleton = load_xdp__open_and_load();
		r = !injector->bytes ? -ENOMEM : !injector->skeleton ? -errno : 0;
	}
	if (r == 0)
		r = map_frame(injector);
	libbpf_set_print(before);
	if (r < 0) {
		injector_done(injector);
		return r;
	}
	fill_headers(load, mac, &injector->frame->headers);
	injector->frame->first_port = FIRST_PORT;
	injector->frame->n_flows = load->config.flows;
	injector->context.data_end = (__u32)injector->n_bytes;
	injector->context.ingress_ifindex = (__u32)ifindex;
	return 0;
}

static int inject(struct injector *injector, uint32_t n)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = injector->bytes,
		.data_size_in = (__u32)injector->n_bytes, .ctx_in = &injector->context,
		.ctx_size_in = sizeof(injector->context), .repeat = (int)n, .flags = LIVE_FRAMES,
		.batch_size = BATCH);

	return bpf_prog_test_run_opts(
		bpf_program__fd(injector->skeleton->progs.load_inject), &opts);
}

int load_xdp_check(const struct zh_load *load, struct zh_err *err)
{
	struct injector injector;
	int r;

	if (load->to.any.sa_family != AF_INET || load->from.any.sa_family != AF_INET)
		return zh_err_set(err, -EINVAL, "injected frames need an IPv4 source and target");
	if (sizeof(struct load_headers) + load->config.size_bytes > FRAME_MAX)
		return zh_err_set(err, -EINVAL, "injected frames have at most %zu bytes of payload",
			FRAME_MAX - sizeof(struct load_headers));
	r = injector_init(&injector, load);
	injector_done(&injector);
	if (r == -ENODEV)
		return zh_err_set(
			err, r, "there is no device '%.15s' to inject at", load->config.device);
	return r < 0 ? zh_err_sys(err, r, "frames cannot be injected") : 0;
}

int load_send_xdp(struct zh_load *load)
{
	struct load_shared *shared = load->shared;
	struct injector injector;
	struct load_pace pace;
	uint64_t turn;
	int r;

	if (!load->config.rate && !load->config.burst)
		load->config.burst = BURST_AT_MAXIMUM;
	r = injector_init(&injector, load);
	if (r < 0)
		return r;
	pace = load_pace_start(&load->config);
	for (turn = 0; load_pace_wait(&pace, turn, shared); turn++) {
		load_note_sender(shared);
		r = inject(&injector, (uint32_t)pace.burst);
		atomic_store_explicit(
			&shared->sender.sent, injector.frame->injected, memory_order_relaxed);
		if (r < 0 && r != -EINTR)
			break;
		load_note_sender(shared);
		if (!turn)
			atomic_store(&shared->sender.ready, 1);
	}
	injector_done(&injector);
	return r == -EINTR ? 0 : r;
}
