/*
 * A program that measures a part of itself, and writes a report in its middle.
 *
 *     gcc -O2 -I../include channels.c -ltrammel -o channels
 *     ./channels
 */
#include <trammel/annotate.h>
#include <trammel/channel.h>

#include <stdio.h>

static void work(const char *name, int times)
{
	for (int i = 0; i < times; i++) {
		trm_begin("region", name);
		__asm__ volatile("");
		trm_end("region");
	}
}

int main(void)
{
	struct trm_channels *report =
		trm_channels_create("runtime-report(output=stdout,region.count)");

	if (*trm_channels_message(report))
		fprintf(stderr, "%s\n", trm_channels_message(report));
	work("before", 3); /* nothing measures yet */
	trm_channels_start(report);
	work("measured", 5);
	trm_channels_stop(report);
	work("after", 3);
	trm_channels_flush(report);
	trm_channels_destroy(report);
	return 0;
}
