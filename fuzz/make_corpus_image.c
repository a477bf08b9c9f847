/*
 * Writes the seeds of the image fuzzer: small ELF files, each with another choice of
 * parts. Argument: the folder. The files are committed; run this again after changing
 * elf_sample.c.
 */
#include "base/cleanup.h"
#include "elf_sample.h"

#include <stdio.h>

enum {
	BARE = 0,
	ALL_BUT_SECTIONS = SAMPLE_ALL & ~(SAMPLE_SECTIONS | SAMPLE_SYMTAB |
					  SAMPLE_DEBUG_DATA | SAMPLE_SEQUENCES)
};

static const struct {
	const char *name;
	unsigned int parts;
} seeds[] = {
	{"bare", BARE},
	{"sections", SAMPLE_SECTIONS},
	{"build-id", SAMPLE_SECTIONS | SAMPLE_BUILD_ID},
	{"symtab", SAMPLE_SECTIONS | SAMPLE_SYMTAB},
	{"frames", SAMPLE_SECTIONS | SAMPLE_FRAMES},
	{"frames-index", SAMPLE_SECTIONS | SAMPLE_FRAMES | SAMPLE_INDEX},
	{"index-alone", SAMPLE_FRAMES | SAMPLE_INDEX},
	{"dynamic", SAMPLE_SECTIONS | SAMPLE_DYNAMIC},
	{"dynamic-alone", SAMPLE_DYNAMIC},
	{"gnu-hash", SAMPLE_DYNAMIC | SAMPLE_GNU_HASH},
	{"sequences", SAMPLE_SECTIONS | SAMPLE_SEQUENCES},
	{"debug-data", SAMPLE_SECTIONS | SAMPLE_DEBUG_DATA},
	{"symtab-frames", SAMPLE_SECTIONS | SAMPLE_SYMTAB | SAMPLE_FRAMES},
	{"no-sections", ALL_BUT_SECTIONS},
	{"no-debug-data", SAMPLE_ALL & ~SAMPLE_DEBUG_DATA},
	{"go", SAMPLE_SECTIONS | SAMPLE_GO},
	{"go-alone", SAMPLE_GO},
	{"go-old", SAMPLE_SECTIONS | SAMPLE_GO_OLD},
	{"go-old-alone", SAMPLE_GO_OLD | SAMPLE_DYNAMIC},
	{"go-frames", SAMPLE_SECTIONS | SAMPLE_GO | SAMPLE_FRAMES},
};

static bool write_file(const char *folder, const char *name, const struct blob *bytes)
{
	scoped_free char *path = NULL;
	scoped_file FILE *file = NULL;

	if (asprintf(&path, "%s/%s.elf", folder, name) < 0)
		return false;
	file = fopen(path, "wb");
	if (!file || fwrite(bytes->items, 1, bytes->count, file) != bytes->count) {
		perror(path);
		return false;
	}
	return true;
}

int main(int count, char **arguments)
{
	if (count != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
		return 2;
	}
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
		struct sample sample;
		bool good;

		sample_init(&sample, seeds[i].parts);
		good = write_file(arguments[1], seeds[i].name, &sample.builder.file);
		sample_deinit(&sample);
		if (!good)
			return 1;
	}
	return 0;
}
