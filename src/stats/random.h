/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pseudo-random numbers for resampling: splitmix64 (Steele, Lea and Flood 2014). A fixed seed gives
 * the same test result everywhere, which a replayed record must.
 */
#pragma once

#include <stdint.h>

struct zh_random {
	uint64_t state;
};

static inline uint64_t zh_random_next(struct zh_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* Uniform in [0, n); n must not be 0. The bias of the multiplication is below n / 2^64. */
static inline uint64_t zh_random_below(struct zh_random *random, uint64_t n)
{
	return (uint64_t)((unsigned __int128)zh_random_next(random) * n >> 64);
}

/* Uniform in [0, 1). */
static inline double zh_random_unit(struct zh_random *random)
{
	return (double)(zh_random_next(random) >> 11) * 0x1p-53;
}
