/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/gzip.h"

#include <errno.h>
#include <zlib.h>

#include "base/util.h"

#define GZIP_ONLY (15 + 16) /* window bits; 16 selects the gzip header */

/* Inflates into text, which doubles while it is too small. */
static int64_t unpack(z_stream *stream, char **text, size_t max_bytes)
{
	size_t size = 64u << 10, len = 0;
	int r;

	do {
		char *bigger = realloc(*text, size);

		if (!bigger)
			return -ENOMEM;
		*text = bigger;
		stream->next_out = (Bytef *)*text + len;
		stream->avail_out = (uInt)(size - 1 - len);
		r = inflate(stream, Z_NO_FLUSH);
		len = size - 1 - stream->avail_out;
		if (r == Z_OK && stream->avail_out)
			return -EBADMSG;
		if (r == Z_OK && size >= max_bytes)
			return -EFBIG;
		size *= 2;
	} while (r == Z_OK);
	if (r != Z_STREAM_END)
		return -EBADMSG;
	(*text)[len] = '\0';
	return (int64_t)len;
}

int64_t zh_sys_gunzip(char **ret, const char *data, size_t len, size_t max_bytes)
{
	z_stream stream = {.next_in = (Bytef *)data, .avail_in = (uInt)len};
	zh_autofree char *text = NULL;
	int64_t r;

	if (inflateInit2(&stream, GZIP_ONLY) != Z_OK)
		return -ENOMEM;
	r = unpack(&stream, &text, max_bytes);
	inflateEnd(&stream);
	if (r >= 0)
		*ret = zh_take(text);
	return r;
}
