/* SPDX-License-Identifier: BSD-2-Clause */
/* All that a container needs: a process that waits to be killed. Linked statically. */
#include <unistd.h>

int main(void)
{
	for (;;)
		pause();
}
