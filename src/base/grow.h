/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow by doubling. */
#pragma once

#include <stddef.h>

/*
 * One more element at the end of *list, which has *n of them and room for *size, each of
 * `element_bytes`. Returns it zeroed; NULL without memory, or with `limit` elements there already
 * (0: no limit), and all is as it was.
 */
void *zh_grow(void **list, size_t *n, size_t *size, size_t element_bytes, size_t limit);
