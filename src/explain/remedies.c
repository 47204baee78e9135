/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/remedies.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "explain/checks/rx-work.h"

#define TCP 6
#define BACKLOG_TIMES 10 /* the default of 1000 times that holds bursts of 10 000 packets */

struct about {
	struct zh_explain ex; /* facts only */
	const struct zh_explanation *out;
	struct zh_rx_work work;
	const char *dev; /* that brings the packets, else the watched one */
	bool is_fine;    /* no finding about the device */
};

struct remedy {
	const char *id, *title, *cost, *wrong_when;
	void (*judge)(const struct about *about, struct zh_remedy_advice *ret);
};

__attribute__((format(printf, 3, 4))) static void say(
	struct zh_remedy_advice *ret, enum zh_remedy_verdict verdict, const char *why, ...)
{
	va_list args;

	ret->verdict = verdict;
	va_start(args, why);
	vsnprintf(ret->why, sizeof(ret->why), why, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3))) static void by(
	struct zh_remedy_advice *ret, const char *how, ...)
{
	va_list args;

	va_start(args, how);
	vsnprintf(ret->how, sizeof(ret->how), how, args);
	va_end(args);
}

static bool is_full(const struct about *a)
{
	return a->work.state == ZH_RX_FULL || a->work.state == ZH_RX_ONE_FLOW;
}

static const char *mask_of(const struct about *a)
{
	return zh_check_text(&a->ex, "queue.%s.rx.0.rps_cpus", a->dev);
}

/* Why a remedy against a full CPU has nothing to do here. */
static void say_not_full(const struct about *a, struct zh_remedy_advice *ret)
{
	if (a->work.state == ZH_RX_BURSTS)
		say(ret, ZH_REMEDY_NO, "CPU %s has time enough: bursts are what it loses",
			a->work.cpu);
	else if (a->work.state == ZH_RX_BEHIND)
		say(ret, ZH_REMEDY_NO, "not the amount of work, but a task on CPU %s is in the way",
			a->work.cpu);
	else
		say(ret, ZH_REMEDY_NO,
			"no CPU is full of receive work (CPU %s: %.0f %% of its time)", a->work.cpu,
			100 * a->work.softirq);
}

static void judge_nothing(const struct about *a, struct zh_remedy_advice *ret)
{
	if (a->is_fine)
		say(ret, ZH_REMEDY_DO,
			"nothing is dropped for want of a CPU, a queue or a buffer: every change "
			"below would only cost");
	else
		say(ret, ZH_REMEDY_NO, "there is a finding about this device");
}

static void judge_rps(const struct about *a, struct zh_remedy_advice *ret)
{
	const char *mask = mask_of(a);
	char advice[160];
	int cpu;

	if (a->work.state == ZH_RX_BEHIND && (cpu = zh_rx_free_cpu(&a->ex, &a->work)) >= 0) {
		say(ret, ZH_REMEDY_DO,
			"the mask in force (CPU %s) leads to a busy CPU, and CPU %d is free", mask,
			cpu);
		by(ret, "mask of CPU %d in /sys/class/net/%.15s/queues/rx-0/rps_cpus", cpu, a->dev);
		return;
	}
	if (!is_full(a)) {
		say_not_full(a, ret);
		return;
	}
	zh_rx_advise_rps(&a->ex, &a->work, advice, sizeof(advice));
	if (strncmp(advice, "RPS mask", 8)) {
		say(ret, ZH_REMEDY_NO, "%s", advice);
		return;
	}
	say(ret, ZH_REMEDY_DO, "CPU %s is full and %llu flows can be spread%s%s", a->work.cpu,
		(unsigned long long)a->work.flows, *mask ? "; in force is CPU " : "", mask);
	by(ret, "%.80s: /sys/class/net/%.15s/queues/rx-0/rps_cpus%s%.80s", advice, a->dev,
		a->work.is_here ? "" : " in ",
		a->work.is_here ? "" : zh_check_text(&a->ex, "watch.flow.%d.place", a->work.flow));
}

static void judge_rfs(const struct about *a, struct zh_remedy_advice *ret)
{
	uint64_t entries = zh_check_number(&a->ex, 0, "sysctl.net/core/rps_sock_flow_entries");
	uint64_t count = zh_check_number(&a->ex, 0, "queue.%s.rx.0.rps_flow_cnt", a->dev);

	if (a->work.state == ZH_RX_ONE_FLOW)
		say(ret, ZH_REMEDY_NO, "one flow follows one reader: still one CPU");
	else if (a->work.state != ZH_RX_FULL)
		say_not_full(a, ret);
	else if (entries && count)
		say(ret, ZH_REMEDY_NO, "it is on already (%llu entries, %llu of %.15s)",
			(unsigned long long)entries, (unsigned long long)count, a->dev);
	else {
		say(ret, ZH_REMEDY_MAYBE,
			"instead of RPS where readers are pinned: %.15s follows the CPU of the "
			"socket's reader; packets that are only routed have none here",
			a->dev);
		by(ret, "net.core.rps_sock_flow_entries=32768, and rps_flow_cnt=32768 of %.15s",
			a->dev);
	}
}

static void judge_backlog(const struct about *a, struct zh_remedy_advice *ret)
{
	uint64_t limit = zh_check_number(&a->ex, 0, "sysctl.net/core/netdev_max_backlog");

	switch (a->work.state) {
	case ZH_RX_BURSTS:
		say(ret, ZH_REMEDY_DO,
			"bursts overflow it (%llu packets), and the CPU has the time to do them",
			(unsigned long long)limit);
		by(ret, "net.core.netdev_max_backlog=%llu",
			(unsigned long long)(limit ? limit : 1000) * BACKLOG_TIMES);
		break;
	case ZH_RX_BEHIND:
		say(ret, ZH_REMEDY_MAYBE,
			"it could hold what comes in a wait of %.1f ms; better end the wait",
			a->work.wait_each_ns / 1e6);
		break;
	case ZH_RX_FULL:
	case ZH_RX_ONE_FLOW:
		say(ret, ZH_REMEDY_NO,
			"more comes than CPU %s can do, all the time: a longer queue is full as "
			"well, and everything waits longer in it",
			a->work.cpu);
		break;
	case ZH_RX_FINE:
		say(ret, ZH_REMEDY_NO, "it did not overflow");
		break;
	}
}

static void judge_budget(const struct about *a, struct zh_remedy_advice *ret)
{
	uint64_t squeezed = zh_check_delta(&a->ex, "softnet.cpu.*.squeezed");
	uint64_t budget = zh_check_number(&a->ex, 0, "sysctl.net/core/netdev_budget");
	bool low = false;

	for (size_t i = 0; i < a->out->n_findings; i++)
		low |= !strcmp(a->out->findings[i].rule->id, "softnet-squeezed") &&
		       a->out->findings[i].severity >= ZH_SEVERITY_WARNING;
	if (low) {
		say(ret, ZH_REMEDY_DO, "netdev_budget %llu is no more than one poll takes",
			(unsigned long long)budget);
		by(ret, "net.core.netdev_budget=300 (the default)");
	} else {
		say(ret, ZH_REMEDY_NO, "time_squeeze grew by %llu: NET_RX %s",
			(unsigned long long)squeezed,
			squeezed ? "runs out at times, as load makes it" : "never ran out of it");
	}
}

static void judge_gro(const struct about *a, struct zh_remedy_advice *ret)
{
	bool tcp = zh_check_number(&a->ex, 0, "watch.flow.%d.protocol", a->work.flow) == TCP;

	if (!is_full(a))
		say_not_full(a, ret);
	else if (zh_check_number(&a->ex, 0, "offload.%s.rx-gro", a->dev))
		say(ret, ZH_REMEDY_NO, "it is on already at %.15s", a->dev);
	else if (!tcp)
		say(ret, ZH_REMEDY_NO,
			"most of it is not TCP: separate datagrams are not merged, unless the "
			"sender or rx-udp-gro-forwarding allows it");
	else {
		say(ret, ZH_REMEDY_MAYBE,
			"TCP segments of a flow are merged before filtering and routing: less "
			"work, where the sender did not send large ones already");
		by(ret, "ethtool -K %.15s gro on", a->dev);
	}
}

static void judge_threaded(const struct about *a, struct zh_remedy_advice *ret)
{
	if (a->work.state == ZH_RX_BEHIND) {
		say(ret, ZH_REMEDY_MAYBE,
			"as a thread the work can be placed and given a priority above %.20s",
			zh_check_text(&a->ex, "watch.cpu.%s.hog.name", a->work.cpu));
		by(ret, "a veth needs gro on first; then /sys/class/net/%.15s/threaded", a->dev);
	} else if (is_full(a)) {
		say(ret, ZH_REMEDY_NO,
			"the same work in a thread is still one CPU's; it only shows as system "
			"time then");
	} else {
		say_not_full(a, ret);
	}
}

static void judge_queues(const struct about *a, struct zh_remedy_advice *ret)
{
	uint64_t queues = zh_check_number(&a->ex, 1, "queue.%s.rx.count", a->dev);

	if (a->work.state == ZH_RX_ONE_FLOW)
		say(ret, ZH_REMEDY_NO, "a flow stays in one queue");
	else if (a->work.state != ZH_RX_FULL)
		say_not_full(a, ret);
	else if (strcmp(zh_check_text(&a->ex, "watch.kind"), "veth"))
		say(ret, ZH_REMEDY_MAYBE, "%.15s has %llu, its driver knows whether more work",
			a->dev, (unsigned long long)queues);
	else {
		say(ret, ZH_REMEDY_MAYBE,
			"%.15s has %llu; more spread the work only with NAPI (gro on), and where "
			"senders run on several CPUs",
			a->dev, (unsigned long long)queues);
		by(ret, "ethtool -L %.15s rx N tx N (before RPS masks: it resets them)", a->dev);
	}
}

static void judge_macvlan(const struct about *a, struct zh_remedy_advice *ret)
{
	uint64_t rules = zh_check_number(&a->ex, 0, "nft.hook.forward.rules");

	if (!is_full(a))
		say_not_full(a, ret);
	else if (strcmp(zh_check_text(&a->ex, "watch.kind"), "veth"))
		say(ret, ZH_REMEDY_NO, "%.15s is no veth", zh_check_text(&a->ex, "watch.dev"));
	else
		say(ret, ZH_REMEDY_MAYBE,
			"it leaves out the host's routing and its %llu forward rules, which take "
			"most of the time where there are hundreds",
			(unsigned long long)rules);
}

static void judge_sriov(const struct about *a, struct zh_remedy_advice *ret)
{
	const struct zh_fact_set *facts = zh_explain_facts(&a->ex);
	const struct zh_fact *fact;
	bool hardware = false;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, "link.*.kind", &pos)))
		hardware |= fact->type == ZH_FACT_STRING && !strcmp(fact->text, "device");
	if (!is_full(a))
		say_not_full(a, ret);
	else if (!hardware)
		say(ret, ZH_REMEDY_NO, "there is no hardware device in this place");
	else
		say(ret, ZH_REMEDY_MAYBE,
			"a virtual function gives the pod queues and interrupts of its own, if the "
			"NIC has them, and the traffic leaves the machine");
}

static void judge_task(const struct about *a, struct zh_remedy_advice *ret)
{
	struct zh_rx_hog hog = zh_rx_hog_get(&a->ex, &a->work);
	char text[80];

	if (a->work.state != ZH_RX_BEHIND) {
		say(ret, ZH_REMEDY_NO, "no task keeps receive work waiting");
		return;
	}
	say(ret, ZH_REMEDY_DO, "%s keeps ksoftirqd/%s waiting",
		zh_rx_hog_text(&hog, text, sizeof(text)), a->work.cpu);
	by(ret, "taskset -cp OTHER_CPUS %llu, or ksoftirqd/%s at FIFO priority %llu",
		(unsigned long long)hog.pid, a->work.cpu, (unsigned long long)hog.real_time + 1);
}

static const struct remedy remedies[] = {
	{"nothing", "leave it as it is", "none", "packets are dropped", judge_nothing},
	{"move-task", "move the task that is in the way", "it competes elsewhere",
		"the CPU is full of receive work alone", judge_task},
	{"backlog", "a longer backlog", "the last packet of a burst waits for all before it",
		"overload lasts: then it adds delay and saves nothing", judge_backlog},
	{"rps", "receive packet steering", "a hash, an interrupt to another CPU and cache misses",
		"few flows make up the load, no CPU is free, or on lo", judge_rps},
	{"rfs", "receive flow steering", "a table; packets may change CPU with their reader",
		"packets are only routed here, or readers move about", judge_rfs},
	{"budget", "a larger NET_RX budget", "user tasks wait longer for softirqs",
		"one queue is busy: each poll of it takes 64 packets whatever the budget",
		judge_budget},
	{"gro", "receive offload on the veth", "a ring of 256 that can overflow; no gain for UDP",
		"packets are small requests and replies", judge_gro},
	{"threaded-napi", "NAPI in threads", "a wake-up for each batch",
		"one CPU's worth of work is the limit", judge_threaded},
	{"queues", "more queues", "memory; RPS masks of the queues are lost",
		"one flow, one sender, or no NAPI", judge_queues},
	{"macvlan", "macvlan instead of the veth",
		"the host's firewall and network policy are bypassed; host and pod do not reach "
		"each other",
		"policy must hold, or the host must reach the pod", judge_macvlan},
	{"sr-iov", "a virtual function (SR-IOV)",
		"hardware, and as macvlan; the pod no longer moves freely",
		"both ends are on this machine", judge_sriov},
};

static bool look(
	const struct zh_explanation *explanation, const struct zh_record *record, struct about *ret)
{
	*ret = (struct about){.ex = {.record = record}, .out = explanation, .is_fine = true};
	if (!zh_rx_work_get(&ret->ex, &ret->work))
		return false;
	ret->dev = ret->work.dev;
	for (size_t i = 0; i < explanation->n_findings; i++)
		ret->is_fine &= explanation->findings[i].weight != ZH_WEIGHT_DEVICE ||
				explanation->findings[i].severity < ZH_SEVERITY_WARNING;
	return true;
}

bool zh_remedy_judge(const struct zh_explanation *explanation, const struct zh_record *record,
	const char *id, struct zh_remedy_advice *ret)
{
	struct about about;

	if (!look(explanation, record, &about))
		return false;
	*ret = (struct zh_remedy_advice){};
	for (size_t i = 0; i < ZH_ARRAY_SIZE(remedies); i++) {
		if (strcmp(remedies[i].id, id))
			continue;
		remedies[i].judge(&about, ret);
		return true;
	}
	return false;
}

/* Where a change has to be made: a pod sees its own end only, and often may not write at all. */
static void describe_place(const struct about *a, struct zh_node *node)
{
	const char *dev = zh_check_text(&a->ex, "watch.dev");
	const char *peer = zh_check_text(&a->ex, "watch.peer.dev");
	uint64_t writable = zh_check_number(&a->ex, 1, "watch.writable");
	uint64_t index = zh_check_number(&a->ex, 0, "link.%s.link_ifindex", dev);
	char text[400];

	if (!writable && *peer)
		snprintf(text, sizeof(text),
			"Settings of %.20s cannot be changed from here (permission denied, or /sys is "
			"read-only): change them at its other end, %.20s in %.60s.",
			dev, peer, zh_check_text(&a->ex, "watch.peer.place"));
	else if (!writable)
		snprintf(text, sizeof(text),
			"Settings of %.20s cannot be changed from here (permission denied, or /sys is "
			"read-only): change them on the host, at its interface number %llu (ip link "
			"there begins with \"%llu:\").",
			dev, (unsigned long long)index, (unsigned long long)index);
	else
		return;
	zh_node_text(node, text);
}

static void describe_irqbalance(const struct about *a, struct zh_node *node)
{
	uint64_t n = zh_check_number(&a->ex, 0, "agent.irqbalance.count");

	if (n && (is_full(a) || a->work.state == ZH_RX_BEHIND))
		zh_node_text(node,
			"irqbalance runs here: it moves interrupts every 10 s, and with them where "
			"packets come in. Ban the device's interrupts in its configuration before "
			"steering by hand, or the mask soon leads to the wrong CPUs.");
}

void zh_remedies_describe(const struct zh_explanation *explanation, const struct zh_record *record,
	struct zh_node *node)
{
	static const char *const verdicts[] = {"no", "maybe", "do"};
	static const struct zh_column columns[] = {{"id", NULL}, {"verdict", NULL}, {"why", NULL},
		{"how", NULL}, {"cost", NULL}, {"wrong_when", NULL}};
	struct zh_node *list, *table;
	struct about about;

	if (!look(explanation, record, &about))
		return;
	list = zh_node_list(node, NULL, "What would help, and what would not");
	table = zh_node_table(node, "remedies", NULL, columns, ZH_ARRAY_SIZE(columns));
	for (int pass = ZH_REMEDY_DO; pass >= ZH_REMEDY_NO; pass--)
		for (size_t i = 0; i < ZH_ARRAY_SIZE(remedies); i++) {
			const struct remedy *remedy = &remedies[i];
			struct zh_remedy_advice advice = {};
			char text[3 * ZH_REMEDY_TEXT + 200];

			remedy->judge(&about, &advice);
			if ((int)advice.verdict != pass)
				continue;
			const struct zh_cell cells[] = {zh_string(remedy->id),
				zh_string(verdicts[pass]), zh_string(advice.why),
				*advice.how ? zh_string(advice.how) : zh_null(),
				zh_string(remedy->cost), zh_string(remedy->wrong_when)};

			zh_node_row(table, cells);
			snprintf(text, sizeof(text), "%s: %s: %s%s%s", verdicts[pass],
				remedy->title, advice.why, *advice.how ? ". How: " : "",
				advice.how);
			if (pass != ZH_REMEDY_NO)
				snprintf(text + strlen(text), sizeof(text) - strlen(text),
					". Cost: %s. Wrong when %s", remedy->cost,
					remedy->wrong_when);
			if (pass != ZH_REMEDY_NO || !about.is_fine)
				zh_node_item(list, text);
		}
	describe_place(&about, node);
	describe_irqbalance(&about, node);
}
