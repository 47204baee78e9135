/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/kernel-features.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct zh_features features;

static void reasons_have_names(void **state)
{
	char buf[64];

	(void)state;
	memset(&features, 0, sizeof(features));
	snprintf(features.reasons[12], sizeof(features.reasons[12]), "NETFILTER_DROP");
	assert_string_equal(zh_features_reason(&features, 12, buf, sizeof(buf)), "NETFILTER_DROP");
	assert_null(zh_features_reason(&features, 13, buf, sizeof(buf)));
	assert_null(zh_features_reason(&features, ZH_DROP_REASONS, buf, sizeof(buf)));
	assert_string_equal(zh_features_reason(&features, 3 << 16 | 7, buf, sizeof(buf)),
		"subsystem 3 reason 7");
}

/* Readable without privileges wherever the kernel has it. */
static void the_running_kernel_is_understood(void **state)
{
	struct zh_err err = {};
	char buf[64];

	(void)state;
	if (zh_features_read(&features, &err)) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_true(features.hooks[ZH_HOOK_sched_switch]);
	assert_true(features.hooks[ZH_HOOK_netif_receive_skb]);
	assert_false(features.hooks[ZH_HOOK_socket_filter]);
	if (!features.has_drop_reason)
		return;
	assert_true(features.no_socket < ZH_DROP_REASONS);
	assert_string_equal(
		zh_features_reason(&features, features.no_socket, buf, sizeof(buf)), "NO_SOCKET");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reasons_have_names),
		cmocka_unit_test(the_running_kernel_is_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
