/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 64

void *zh_grow(void **list, size_t *n, size_t *size, size_t element_bytes, size_t limit)
{
	if (limit && *n >= limit)
		return NULL;
	if (*n == *size) {
		size_t more = *size ? 2 * *size : FIRST;
		void *bigger = realloc(*list, more * element_bytes);

		if (!bigger)
			return NULL;
		*list = bigger;
		*size = more;
	}
	memset((char *)*list + *n * element_bytes, 0, element_bytes);
	return (char *)*list + (*n)++ * element_bytes;
}
