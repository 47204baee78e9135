/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/net-config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "sys/netns.h"
#include "sys/root.h"

struct zh_netcfg {
	struct nl_sock *sock;
	int error; /* negative errno of the kernel's last answer; libnl's codes merge several */
	bool answered;
	int ifindex; /* answer of the last RTM_GETLINK */
};

struct call {
	int netns_fd;
	int (*f)(void *arg);
	void *arg;
	int result;
	struct zh_err *err;
};

static void *call_inside(void *arg)
{
	struct call *call = arg;

	call->result = zh_netns_enter(call->netns_fd, call->err);
	if (call->result < 0)
		return NULL;
	call->result = call->f(call->arg);
	return NULL;
}

int zh_netns_call(int netns_fd, int (*f)(void *arg), void *arg, struct zh_err *err)
{
	struct call call = {.netns_fd = netns_fd, .f = f, .arg = arg, .err = err};
	pthread_t thread;
	int r;

	if (netns_fd < 0)
		return f(arg);
	r = pthread_create(&thread, NULL, call_inside, &call);
	if (r)
		return zh_err_sys(err, -r, "cannot start a thread");
	pthread_join(thread, NULL);
	return call.result;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *answer, void *arg)
{
	struct zh_netcfg *cfg = arg;

	(void)from;
	cfg->error = answer->error;
	cfg->answered = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct zh_netcfg *cfg = arg;

	(void)msg;
	cfg->answered = true;
	return NL_STOP;
}

static int on_link(struct nl_msg *msg, void *arg)
{
	struct zh_netcfg *cfg = arg;
	const struct nlmsghdr *head = nlmsg_hdr(msg);
	const struct ifinfomsg *info = nlmsg_data(head);

	if (head->nlmsg_type == RTM_NEWLINK && nlmsg_valid_hdr(head, sizeof(*info)))
		cfg->ifindex = info->ifi_index;
	return NL_OK;
}

static int connect_socket(void *arg)
{
	struct zh_netcfg *cfg = arg;

	errno = 0;
	if (nl_connect(cfg->sock, NETLINK_ROUTE) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

int zh_netcfg_open(int netns_fd, struct zh_netcfg **ret, struct zh_err *err)
{
	struct zh_netcfg *cfg = calloc(1, sizeof(*cfg));
	struct zh_err why = {0};
	int r = -ENOMEM;

	if (cfg)
		cfg->sock = nl_socket_alloc();
	if (cfg && cfg->sock)
		r = zh_netns_call(netns_fd, connect_socket, cfg, &why);
	if (r < 0) {
		zh_netcfg_close(cfg);
		return zh_err_sys(err, r, "cannot open a netlink socket in the namespace");
	}
	nl_socket_modify_err_cb(cfg->sock, NL_CB_CUSTOM, on_error, cfg);
	nl_socket_modify_cb(cfg->sock, NL_CB_VALID, NL_CB_CUSTOM, on_link, cfg);
	nl_socket_modify_cb(cfg->sock, NL_CB_ACK, NL_CB_CUSTOM, on_ack, cfg);
	*ret = cfg;
	return 0;
}

struct zh_netcfg *zh_netcfg_close(struct zh_netcfg *cfg)
{
	if (cfg && cfg->sock)
		nl_socket_free(cfg->sock);
	free(cfg);
	return NULL;
}

/* A request with its fixed header, or NULL when out of memory. */
static struct nl_msg *new_request(int type, int flags, const void *head, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (msg && nlmsg_append(msg, (void *)head, size, NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* Sends the request (consumed) and waits for the kernel's answer. `bad` is set when an attribute
 * did not fit. */
static int talk(struct zh_netcfg *cfg, struct nl_msg *msg, int bad)
{
	int r = 0;

	if (!msg || bad) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	cfg->error = 0;
	cfg->answered = false;
	r = nl_send_auto(cfg->sock, msg);
	nlmsg_free(msg);
	/* A query's reply and its acknowledgement are two datagrams. */
	while (r >= 0 && !cfg->answered)
		r = nl_recvmsgs_default(cfg->sock);
	if (cfg->error)
		return cfg->error;
	return r < 0 ? -EIO : 0;
}

static int put_name(struct nl_msg *msg, const char *name)
{
	return nla_put_string(msg, IFLA_IFNAME, name);
}

int zh_netcfg_ifindex(struct zh_netcfg *cfg, const char *name, struct zh_err *err)
{
	struct ifinfomsg info = {.ifi_family = AF_UNSPEC};
	struct nl_msg *msg = new_request(RTM_GETLINK, 0, &info, sizeof(info));
	int r;

	cfg->ifindex = -ENODEV;
	r = talk(cfg, msg, msg ? put_name(msg, name) : 0);
	if (r == 0)
		r = cfg->ifindex;
	return r > 0 ? r : zh_err_sys(err, r, "cannot find the device %s", name);
}

int zh_netcfg_link_up(struct zh_netcfg *cfg, const char *name, bool up, struct zh_err *err)
{
	struct ifinfomsg info = {.ifi_flags = up ? IFF_UP : 0, .ifi_change = IFF_UP};
	struct nl_msg *msg = new_request(RTM_NEWLINK, 0, &info, sizeof(info));
	int r = talk(cfg, msg, msg ? put_name(msg, name) : 0);

	return r < 0 ? zh_err_sys(err, r, "cannot set %s %s", name, up ? "up" : "down") : 0;
}

int zh_netcfg_link_del(struct zh_netcfg *cfg, const char *name, struct zh_err *err)
{
	struct ifinfomsg info = {0};
	struct nl_msg *msg = new_request(RTM_DELLINK, 0, &info, sizeof(info));
	int r = talk(cfg, msg, msg ? put_name(msg, name) : 0);

	return r < 0 ? zh_err_sys(err, r, "cannot remove the device %s", name) : 0;
}

/* IFLA_LINKINFO { kind veth, data { peer { header, name, namespace } } } */
static int put_veth(struct nl_msg *msg, const char *peer, int peer_netns_fd)
{
	struct ifinfomsg info = {0};
	struct nlattr *link, *data, *end;
	int bad;

	link = nla_nest_start(msg, IFLA_LINKINFO);
	bad = !link || nla_put_string(msg, IFLA_INFO_KIND, "veth");
	data = bad ? NULL : nla_nest_start(msg, IFLA_INFO_DATA);
	end = data ? nla_nest_start(msg, VETH_INFO_PEER) : NULL;
	if (!end)
		return -ENOMEM;
	bad = nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO) || put_name(msg, peer);
	if (peer_netns_fd >= 0)
		bad = bad || nla_put_u32(msg, IFLA_NET_NS_FD, (uint32_t)peer_netns_fd);
	nla_nest_end(msg, end);
	nla_nest_end(msg, data);
	nla_nest_end(msg, link);
	return bad;
}

int zh_netcfg_veth_add(struct zh_netcfg *cfg, const char *name, const char *peer, int peer_netns_fd,
	struct zh_err *err)
{
	struct ifinfomsg info = {0};
	struct nl_msg *msg =
		new_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &info, sizeof(info));
	int r = talk(cfg, msg, msg && (put_name(msg, name) || put_veth(msg, peer, peer_netns_fd)));

	return r < 0 ? zh_err_sys(err, r, "cannot make the veth pair %s, %s", name, peer) : 0;
}

/* IFLA_LINKINFO { kind, data { attribute type of 4 bytes } }; type 0: without data. */
static int put_kind(struct nl_msg *msg, const char *kind, int type, uint32_t value)
{
	struct nlattr *link = nla_nest_start(msg, IFLA_LINKINFO), *data;

	if (!link || nla_put_string(msg, IFLA_INFO_KIND, kind))
		return -ENOMEM;
	if (type) {
		data = nla_nest_start(msg, IFLA_INFO_DATA);
		if (!data || nla_put_u32(msg, type, value))
			return -ENOMEM;
		nla_nest_end(msg, data);
	}
	nla_nest_end(msg, link);
	return 0;
}

int zh_netcfg_bridge_add(struct zh_netcfg *cfg, const char *name, struct zh_err *err)
{
	struct ifinfomsg info = {0};
	struct nl_msg *msg =
		new_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &info, sizeof(info));
	int r = talk(cfg, msg, msg && (put_name(msg, name) || put_kind(msg, "bridge", 0, 0)));

	return r < 0 ? zh_err_sys(err, r, "cannot make the bridge %s", name) : 0;
}

int zh_netcfg_macvlan_add(struct zh_netcfg *cfg, const char *name, const char *parent, int netns_fd,
	struct zh_err *err)
{
	struct ifinfomsg info = {0};
	struct nl_msg *msg;
	int r = zh_netcfg_ifindex(cfg, parent, err), bad;

	if (r < 0)
		return r;
	msg = new_request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &info, sizeof(info));
	bad = msg && (put_name(msg, name) || nla_put_u32(msg, IFLA_LINK, (uint32_t)r) ||
			     put_kind(msg, "macvlan", IFLA_MACVLAN_MODE, MACVLAN_MODE_BRIDGE));
	if (msg && !bad && netns_fd >= 0)
		bad = nla_put_u32(msg, IFLA_NET_NS_FD, (uint32_t)netns_fd);
	r = talk(cfg, msg, bad);
	return r < 0 ? zh_err_sys(err, r, "cannot make the macvlan device %s on %s", name, parent)
		     : 0;
}

int zh_netcfg_master_set(
	struct zh_netcfg *cfg, const char *name, const char *master, struct zh_err *err)
{
	struct ifinfomsg info = {0};
	struct nl_msg *msg;
	int r = zh_netcfg_ifindex(cfg, master, err);

	if (r < 0)
		return r;
	msg = new_request(RTM_NEWLINK, 0, &info, sizeof(info));
	r = talk(cfg, msg,
		msg && (put_name(msg, name) || nla_put_u32(msg, IFLA_MASTER, (uint32_t)r)));
	return r < 0 ? zh_err_sys(err, r, "cannot make %s a port of %s", name, master) : 0;
}

struct prefix {
	uint8_t family, length;
	size_t size;
	uint8_t bytes[16];
};

/* "10.77.0.1/24" or a bare address (then a full prefix). */
static int parse_prefix(const char *text, struct prefix *ret, struct zh_err *err)
{
	char host[INET6_ADDRSTRLEN];
	const char *slash = strchrnul(text, '/');
	size_t len = (size_t)(slash - text);
	uint64_t bits;

	*ret = (struct prefix){.family = memchr(text, ':', len) ? AF_INET6 : AF_INET};
	ret->size = ret->family == AF_INET6 ? 16 : 4;
	bits = ret->size * 8;
	if (len >= sizeof(host))
		return zh_err_set(err, -EINVAL, "'%s' is not an address", text);
	memcpy(host, text, len);
	host[len] = '\0';
	if (inet_pton(ret->family, host, ret->bytes) != 1 ||
		(*slash && zh_parse_u64(slash + 1, &bits, NULL) < 0) || bits > ret->size * 8)
		return zh_err_set(err, -EINVAL, "'%s' is not an address", text);
	ret->length = (uint8_t)bits;
	return 0;
}

int zh_netcfg_address_add(
	struct zh_netcfg *cfg, const char *name, const char *address, struct zh_err *err)
{
	struct prefix p;
	struct ifaddrmsg head;
	struct nl_msg *msg;
	int r = parse_prefix(address, &p, err), index;

	if (r < 0)
		return r;
	index = zh_netcfg_ifindex(cfg, name, err);
	if (index < 0)
		return index;
	head = (struct ifaddrmsg){.ifa_family = p.family,
		.ifa_prefixlen = p.length,
		.ifa_flags = p.family == AF_INET6 ? IFA_F_NODAD : 0,
		.ifa_index = (uint32_t)index};
	msg = new_request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &head, sizeof(head));
	r = talk(cfg, msg,
		msg && (nla_put(msg, IFA_LOCAL, (int)p.size, p.bytes) ||
			       nla_put(msg, IFA_ADDRESS, (int)p.size, p.bytes)));
	return r < 0 ? zh_err_sys(err, r, "cannot add %s to %s", address, name) : 0;
}

static int put_route(struct nl_msg *msg, const struct zh_netcfg_route *route,
	const struct prefix *to, const struct prefix *via, int index)
{
	int bad = nla_put(msg, RTA_DST, (int)to->size, to->bytes) ||
		  nla_put_u32(msg, RTA_OIF, (uint32_t)index) ||
		  nla_put_u32(msg, RTA_TABLE, route->table ? route->table : RT_TABLE_MAIN);

	if (!bad && route->via)
		bad = nla_put(msg, RTA_GATEWAY, (int)via->size, via->bytes);
	return bad;
}

int zh_netcfg_route_add(
	struct zh_netcfg *cfg, const struct zh_netcfg_route *route, struct zh_err *err)
{
	struct prefix to, via;
	struct rtmsg head;
	struct nl_msg *msg;
	int r = parse_prefix(route->to, &to, err), index;

	if (r == 0 && route->via)
		r = parse_prefix(route->via, &via, err);
	if (r < 0)
		return r;
	index = zh_netcfg_ifindex(cfg, route->device, err);
	if (index < 0)
		return index;
	head = (struct rtmsg){.rtm_family = to.family,
		.rtm_dst_len = to.length,
		.rtm_table = RT_TABLE_UNSPEC,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_scope = route->via ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		.rtm_type = RTN_UNICAST};
	msg = new_request(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &head, sizeof(head));
	r = talk(cfg, msg, msg ? put_route(msg, route, &to, &via, index) : 0);
	return r < 0 ? zh_err_sys(err, r, "cannot add a route to %s", route->to) : 0;
}

static int change_rule(struct zh_netcfg *cfg, int type, int flags,
	const struct zh_netcfg_rule *rule, struct zh_err *err)
{
	static const uint8_t actions[] = {
		FR_ACT_TO_TBL, FR_ACT_BLACKHOLE, FR_ACT_UNREACHABLE, FR_ACT_PROHIBIT};
	struct prefix to = {.family = AF_INET}, from = {};
	struct fib_rule_hdr head;
	struct nl_msg *msg;
	struct fib_rule_uid_range uids = {rule->uid, rule->uid};
	int r = rule->to ? parse_prefix(rule->to, &to, err) : 0, bad;

	if (r == 0 && rule->from)
		r = parse_prefix(rule->from, &from, err);
	if (r < 0)
		return r;
	head = (struct fib_rule_hdr){.family = rule->from ? from.family : to.family,
		.dst_len = to.length,
		.src_len = from.length,
		.action = actions[rule->action]};
	msg = new_request(type, flags, &head, sizeof(head));
	bad = msg && nla_put_u32(msg, FRA_PRIORITY, rule->priority);
	if (msg && rule->to)
		bad = bad || nla_put(msg, FRA_DST, (int)to.size, to.bytes);
	if (msg && rule->from)
		bad = bad || nla_put(msg, FRA_SRC, (int)from.size, from.bytes);
	if (msg && rule->ip_protocol)
		bad = bad || nla_put_u8(msg, FRA_IP_PROTO, rule->ip_protocol);
	if (msg && rule->mark)
		bad = bad || nla_put_u32(msg, FRA_FWMARK, rule->mark);
	if (msg && rule->has_uid)
		bad = bad || nla_put(msg, FRA_UID_RANGE, sizeof(uids), &uids);
	if (msg && rule->action == ZH_NETCFG_LOOKUP)
		bad = bad || nla_put_u32(msg, FRA_TABLE, rule->table);
	r = talk(cfg, msg, bad);
	return r < 0 ? zh_err_sys(err, r, "cannot %s the rule with priority %u",
			       type == RTM_NEWRULE ? "add" : "remove", rule->priority)
		     : 0;
}

int zh_netcfg_rule_add(struct zh_netcfg *cfg, const struct zh_netcfg_rule *rule, struct zh_err *err)
{
	return change_rule(cfg, RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, rule, err);
}

int zh_netcfg_rule_del(struct zh_netcfg *cfg, const struct zh_netcfg_rule *rule, struct zh_err *err)
{
	return change_rule(cfg, RTM_DELRULE, 0, rule, err);
}

/* TCA_KIND tbf, TCA_OPTIONS { parameters, burst in bytes }. The kernel computes its buffer time
 * from the burst attribute (since 3.14), so no rate table is needed. */
static int put_tbf(struct nl_msg *msg, const struct zh_netcfg_tbf *tbf)
{
	struct tc_tbf_qopt opt = {
		.rate = {.rate = tbf->rate, .linklayer = TC_LINKLAYER_ETHERNET},
		.limit = tbf->limit_bytes,
	};
	struct nlattr *options;
	int bad = nla_put_string(msg, TCA_KIND, "tbf");

	options = bad ? NULL : nla_nest_start(msg, TCA_OPTIONS);
	if (!options)
		return -ENOMEM;
	bad = nla_put(msg, TCA_TBF_PARMS, sizeof(opt), &opt) ||
	      nla_put_u32(msg, TCA_TBF_BURST, tbf->burst_bytes);
	nla_nest_end(msg, options);
	return bad;
}

int zh_netcfg_tbf_add(struct zh_netcfg *cfg, const char *name, const struct zh_netcfg_tbf *tbf,
	struct zh_err *err)
{
	struct tcmsg head = {.tcm_parent = TC_H_ROOT};
	struct nl_msg *msg;
	int r = zh_netcfg_ifindex(cfg, name, err);

	if (r < 0)
		return r;
	head.tcm_ifindex = r;
	msg = new_request(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, &head, sizeof(head));
	r = talk(cfg, msg, msg ? put_tbf(msg, tbf) : 0);
	return r < 0 ? zh_err_sys(err, r, "cannot add a tbf qdisc to %s", name) : 0;
}

int zh_netcfg_root_qdisc_del(struct zh_netcfg *cfg, const char *name, struct zh_err *err)
{
	struct tcmsg head = {.tcm_parent = TC_H_ROOT};
	struct nl_msg *msg;
	int r = zh_netcfg_ifindex(cfg, name, err);

	if (r < 0)
		return r;
	head.tcm_ifindex = r;
	msg = new_request(RTM_DELQDISC, 0, &head, sizeof(head));
	r = talk(cfg, msg, 0);
	return r < 0 ? zh_err_sys(err, r, "cannot remove the root qdisc of %s", name) : 0;
}

struct sysctl {
	const char *name, *value;
};

/* /proc/sys/net shows the namespace of the thread that looks. */
static int set_sysctl(void *arg)
{
	const struct sysctl *sysctl = arg;

	return zh_sys_write(sysctl->value, "/proc/sys/%s", sysctl->name);
}

int zh_netcfg_sysctl_set(int netns_fd, const char *name, const char *value, struct zh_err *err)
{
	struct sysctl sysctl = {name, value};
	int r;

	if (netns_fd < 0)
		return zh_err_set(err, -EINVAL, "no namespace given");
	r = zh_netns_call(netns_fd, set_sysctl, &sysctl, err);
	return r < 0 ? zh_err_sys(err, r, "cannot set %s to %s", name, value) : 0;
}
