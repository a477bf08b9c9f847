/* Writes seeds for samples_fuzz to a folder. */
#include "sample_stream.h"

#include <stdio.h>

static int write_seed(const char *folder, const char *name, uint8_t first,
		      const struct sample_stream *stream)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wb");
	if (!file)
		return 1;
	fwrite(&first, 1, 1, file);
	fwrite(stream->items, 1, stream->count, file);
	return fclose(file) != 0;
}

int main(int argc, char **argv)
{
	const uint64_t stack[] = {1, 0x7020, 0x10105, 2, 0, 0x10205, 3};
	struct sample_stream flat = {0}, stacks = {0};

	if (argc != 2)
		return 2;
	stream_execute(&flat, 1, 1);
	stream_map(&flat, 1, 2, 0x10000, 0x2000, "anon");
	stream_sample(&flat, 1, 5, 0x10010);
	stream_fork(&flat, 2, 1, 6);
	stream_map(&flat, 2, 7, 0x11000, 0x100, "vdso");
	stream_sample(&flat, 2, 8, 0x11010);
	stream_lost(&flat, 3, 9);
	stream_end(&flat, 2, 10);
	stream_map(&stacks, 1, 2, 0x10000, 0x2000, "anon");
	stream_stack_sample(&stacks, 1, 3, 0x10010, 0x7000, 0x7008, stack, sizeof(stack));
	return write_seed(argv[1], "flat", 0, &flat) ||
	       write_seed(argv[1], "stacks", 1, &stacks);
}
