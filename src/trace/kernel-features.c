/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/kernel-features.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#define TRACEPOINT_PREFIX "btf_trace_"
#define REASON_PREFIX "SKB_DROP_REASON_"

static const char *const hook_names[ZH_HOOK_MAX] = {
#define ZH_TRACE_HOOK_NAME(name, group) [ZH_HOOK_##name] = #name,
	ZH_TRACE_HOOKS(ZH_TRACE_HOOK_NAME)
#undef ZH_TRACE_HOOK_NAME
};

/* The prototype behind "typedef void (*btf_trace_X)(void *, ...)"; NULL when it is no such thing.
 */
static const struct btf_type *prototype(const struct btf *btf, const struct btf_type *typedef_type)
{
	const struct btf_type *type = btf__type_by_id(btf, typedef_type->type);

	if (!type || !btf_is_ptr(type))
		return NULL;
	type = btf__type_by_id(btf, type->type);
	return type && btf_is_func_proto(type) ? type : NULL;
}

static bool is_pointer(const struct btf *btf, const struct btf_type *proto, int argument)
{
	const struct btf_type *type;

	if (argument >= btf_vlen(proto))
		return false;
	type = btf__type_by_id(btf, btf_params(proto)[argument].type);
	return type && btf_is_ptr(type);
}

/*
 * The first parameter is the tracepoint's private data. sched_switch: (preempt, prev, next
 * [, prev_state]); 5.18 had prev_state in front of the tasks, which we do not support.
 * kfree_skb: (skb, location[, reason[, rx_sk]]).
 */
static void note_tracepoint(struct zh_features *features, const struct btf *btf,
	const struct btf_type *type, const char *name)
{
	const struct btf_type *proto = prototype(btf, type);
	int i, arguments;

	for (i = 0; i < ZH_HOOK_MAX; i++) {
		if (hook_names[i] && !strcmp(hook_names[i], name))
			break;
	}
	if (i == ZH_HOOK_MAX || !proto)
		return;
	features->hooks[i] = true;
	arguments = btf_vlen(proto) - 1;
	if (i == ZH_HOOK_sched_switch) {
		features->hooks[i] = is_pointer(btf, proto, 2) && is_pointer(btf, proto, 3);
		features->has_prev_state = arguments >= 4;
	} else if (i == ZH_HOOK_kfree_skb) {
		features->has_drop_reason = arguments >= 3;
	}
}

static void note_reasons(
	struct zh_features *features, const struct btf *btf, const struct btf_type *type)
{
	const struct btf_enum *e = btf_enum(type);
	int i;

	for (i = 0; i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(btf, e[i].name_off);

		if (e[i].val < 0 || e[i].val >= ZH_DROP_REASONS || !name)
			continue;
		if (!strncmp(name, REASON_PREFIX, strlen(REASON_PREFIX)))
			name += strlen(REASON_PREFIX);
		snprintf(features->reasons[e[i].val], sizeof(features->reasons[0]), "%s", name);
		if (!strcmp(name, "NO_SOCKET"))
			features->no_socket = (uint32_t)e[i].val;
	}
}

int zh_features_read(struct zh_features *ret, struct zh_err *err)
{
	struct btf *btf = btf__load_vmlinux_btf();
	uint32_t i, n;

	if (!btf)
		return zh_err_set(err, errno == ENOENT || errno == ESRCH ? -ENOENT : -errno,
			"no kernel BTF: the kernel was built without CONFIG_DEBUG_INFO_BTF, or "
			"its type information cannot be read (%s)",
			strerror(errno));
	memset(ret, 0, sizeof(*ret));
	ret->no_socket = ZH_NONE;
	n = btf__type_cnt(btf);
	for (i = 1; i < n; i++) {
		const struct btf_type *type = btf__type_by_id(btf, i);
		const char *name = btf__name_by_offset(btf, type->name_off);

		if (btf_is_typedef(type) &&
			!strncmp(name, TRACEPOINT_PREFIX, strlen(TRACEPOINT_PREFIX)))
			note_tracepoint(ret, btf, type, name + strlen(TRACEPOINT_PREFIX));
		else if (btf_is_struct(type) && !strcmp(name, "bpf_nf_ctx"))
			ret->netfilter = true;
		else if (btf_is_enum(type) && !strcmp(name, "skb_drop_reason"))
			note_reasons(ret, btf, type);
	}
	btf__free(btf);
	return 0;
}

const char *zh_features_reason(
	const struct zh_features *features, uint32_t reason, char *buf, size_t size)
{
	if (reason >> 16) {
		snprintf(buf, size, "subsystem %u reason %u", reason >> 16, reason & 0xffff);
		return buf;
	}
	if (reason >= ZH_DROP_REASONS || !features->reasons[reason][0])
		return NULL;
	return features->reasons[reason];
}

uint32_t zh_features_reason_number(const struct zh_features *features, const char *name)
{
	uint32_t i;

	for (i = 0; i < ZH_DROP_REASONS; i++) {
		if (!strcmp(features->reasons[i], name))
			return i;
	}
	return ZH_NONE;
}
