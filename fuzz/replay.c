/*
 * Gives a fuzz target the files of its corpus, one after the other, whole and cut short,
 * so that what was found by fuzzing once is tested always. Arguments: files, or folders
 * of files.
 */
#include "base/cleanup.h"
#include "base/vector.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct files VECTOR(char *);

/* Adds a file, or the files of a folder. */
static bool collect(const char *path, struct files *files)
{
	struct dirent **entries;
	struct stat status;
	int count;

	if (stat(path, &status) != 0) {
		perror(path);
		return false;
	}
	if (!S_ISDIR(status.st_mode)) {
		vector_push(files, memory_copy_string(path));
		return true;
	}
	count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char *name = NULL;

		if (entries[i]->d_name[0] != '.' &&
		    asprintf(&name, "%s/%s", path, entries[i]->d_name) > 0)
			vector_push(files, name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return count >= 0;
}

/* Each file is cut short at so many places: everywhere, if it is small. */
#define CUTS 600

/* Hands over bytes in memory of exactly their size: a checker then sees each overrun. */
static void hand_over(const uint8_t *bytes, size_t size)
{
	uint8_t *own = memory_allocate(size);

	memcpy(own, bytes, size);
	LLVMFuzzerTestOneInput(own, size);
	free(own);
}

static bool replay(const char *path)
{
	scoped_file FILE *file = fopen(path, "rb");
	struct stat status;
	uint8_t *data;
	size_t size;

	if (!file || fstat(fileno(file), &status) != 0) {
		perror(path);
		return false;
	}
	size = (size_t)status.st_size;
	data = memory_allocate(size);
	if (fread(data, 1, size, file) != size) {
		perror(path);
		free(data);
		return false;
	}
	hand_over(data, size);
	for (size_t cut = 0; cut < size; cut += size / CUTS + 1)
		hand_over(data, cut);
	free(data);
	return true;
}

int main(int count, char **arguments)
{
	struct files files = {0};
	bool good = true;
	size_t replayed = 0;

	for (int i = 1; i < count; i++)
		good &= collect(arguments[i], &files);
	vector_for_each (&files, file) {
		good &= replay(*file);
		free(*file);
		replayed++;
	}
	vector_deinit(&files);
	printf("%zu files\n", replayed);
	return good && replayed ? EXIT_SUCCESS : EXIT_FAILURE;
}
