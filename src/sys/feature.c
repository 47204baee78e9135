/* SPDX-License-Identifier: BSD-2-Clause */
/* Offload features by name. The ioctl is used, not netlink: it says at once what was refused. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/util.h"
#include "sys/netns.h"
#include "sys/root.h"
#include "sys/setting.h"

#define BLOCKS_MAX 8 /* of 32 features */

struct request {
	const char *device, *feature;
	bool on, is_set;
};

static int ask(int fd, const char *device, void *data)
{
	struct ifreq ifr = {.ifr_data = data};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%.15s", device);
	return ioctl(fd, SIOCETHTOOL, &ifr) < 0 ? -errno : 0;
}

/* How many features this kernel has; their names become *ret, owned by the caller. */
static int names_of(int fd, const char *device, struct ethtool_gstrings **ret)
{
	struct {
		struct ethtool_sset_info info;
		uint32_t n;
	} count = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ull << ETH_SS_FEATURES}};
	struct ethtool_gstrings *names;
	int r = ask(fd, device, &count);

	if (r < 0)
		return r;
	if (!count.info.sset_mask || count.n > BLOCKS_MAX * 32)
		return -EOPNOTSUPP;
	names = calloc(1, sizeof(*names) + (size_t)count.n * ETH_GSTRING_LEN);
	if (!names)
		return -ENOMEM;
	*names = (struct ethtool_gstrings){
		.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES, .len = count.n};
	r = ask(fd, device, names);
	if (r < 0)
		free(names);
	else
		*ret = names;
	return r;
}

/* *ret_blocks: how many blocks of features the kernel has; it takes no other number. */
static int index_of(int fd, const struct request *request, uint32_t *ret, uint32_t *ret_blocks)
{
	zh_autofree struct ethtool_gstrings *names = NULL;
	int r = names_of(fd, request->device, &names);

	for (uint32_t i = 0; r == 0 && i < names->len; i++) {
		if (strncmp((const char *)names->data + (size_t)i * ETH_GSTRING_LEN,
			    request->feature, ETH_GSTRING_LEN) == 0) {
			*ret = i;
			*ret_blocks = (names->len + 31) / 32;
			return 0;
		}
	}
	return r < 0 ? r : -EOPNOTSUPP;
}

static int change(int fd, const struct request *request, uint32_t at, uint32_t blocks)
{
	struct {
		struct ethtool_sfeatures head;
		struct ethtool_set_features_block blocks[BLOCKS_MAX];
	} set = {.head = {.cmd = ETHTOOL_SFEATURES, .size = blocks}};

	set.blocks[at / 32].valid = 1u << at % 32;
	set.blocks[at / 32].requested = request->on ? 1u << at % 32 : 0;
	return ask(fd, request->device, &set);
}

static int act(void *arg)
{
	struct request *request = arg;
	struct {
		struct ethtool_gfeatures head;
		struct ethtool_get_features_block blocks[BLOCKS_MAX];
	} get = {.head = {.cmd = ETHTOOL_GFEATURES, .size = BLOCKS_MAX}};
	zh_autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const struct ethtool_get_features_block *block;
	uint32_t at = 0, blocks = 0;
	bool on;
	int r = fd < 0 ? -errno : index_of(fd, request, &at, &blocks);

	if (r == 0 && request->is_set)
		r = change(fd, request, at, blocks);
	if (r == 0)
		r = ask(fd, request->device, &get);
	if (r < 0)
		return r;
	block = &get.blocks[at / 32];
	on = block->active >> at % 32 & 1;
	if (request->is_set && on != request->on)
		return -EBUSY;
	request->on = on;
	return 0;
}

int zh_feature_get(int netns_fd, const char *device, const char *feature, bool *ret)
{
	struct request request = {.device = device, .feature = feature};
	int r = zh_sys_is_captured() ? -EROFS : zh_netns_ask(netns_fd, act, &request);

	if (r == 0)
		*ret = request.on;
	return r;
}

int zh_feature_set(int netns_fd, const char *device, const char *feature, bool on)
{
	struct request request = {.device = device, .feature = feature, .on = on, .is_set = true};

	return zh_sys_is_captured() ? -EROFS : zh_netns_ask(netns_fd, act, &request);
}
