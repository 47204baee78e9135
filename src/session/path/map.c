/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/map.h"

#include <string.h>

size_t path_map_netns(const struct path_map *map, uint64_t inode)
{
	for (size_t i = 0; inode && i < map->n_netns; i++)
		if (map->netns[i].inode == inode)
			return i;
	return SIZE_MAX;
}

size_t path_map_owner(
	const struct path_map *map, size_t near, int family, const struct in6_addr *ip)
{
	if (near != SIZE_MAX && path_map_netns_has_address(map, near, family, ip))
		return near;
	for (size_t i = 0; i < map->n_netns; i++)
		if (path_map_netns_has_address(map, i, family, ip))
			return i;
	return SIZE_MAX;
}

const struct path_link *path_map_link(
	const struct path_map *map, size_t netns, unsigned int ifindex)
{
	size_t i;

	for (i = 0; ifindex && i < map->n_links; i++)
		if (map->links[i].netns == netns && map->links[i].ifindex == ifindex)
			return &map->links[i];
	return NULL;
}

static bool is_ip(const struct path_address *address, int family, const struct in6_addr *ip)
{
	return address->family == family &&
	       !memcmp(&address->ip, ip, family == AF_INET ? 4 : sizeof(*ip));
}

bool path_map_has_address(const struct path_map *map, const struct path_link *link, int family,
	const struct in6_addr *ip)
{
	size_t i;

	for (i = 0; i < map->n_addresses; i++) {
		const struct path_address *address = &map->addresses[i];

		if (address->netns == link->netns && address->ifindex == link->ifindex &&
			is_ip(address, family, ip))
			return true;
	}
	return false;
}

bool path_map_netns_has_address(
	const struct path_map *map, size_t netns, int family, const struct in6_addr *ip)
{
	size_t i;

	for (i = 0; i < map->n_addresses; i++)
		if (map->addresses[i].netns == netns && is_ip(&map->addresses[i], family, ip))
			return true;
	return false;
}
