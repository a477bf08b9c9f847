#include "session/cache/feedback_file.h"

#include "base/cleanup.h"
#include "base/table.h"
#include "base/text.h"
#include "session/cache/cache_seal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAGIC 0x716572666c6d7274u /* "trmlfreq" */

enum { SIZE_MAX_BYTES = 1 << 30, EDITION_SHIFT = 24 };

struct header {
	uint64_t magic, checksum; /* of all that follows */
	uint64_t row_count, value_count;
	uint32_t runs, unused;
};

static uint64_t rows_size(const struct header *header)
{
	return header->row_count * sizeof(struct frequencies_row);
}

static uint64_t values_size(const struct header *header)
{
	return header->value_count * sizeof(frequency);
}

static char *path_of(const char *folder, uint64_t key)
{
	struct text path = {0};

	text_format(&path, "%s/%016lx.frequencies", folder, key);
	return path.data;
}

static uint64_t checksum_of(const char *bytes, size_t size)
{
	const size_t from = offsetof(struct header, row_count);

	return hash_bytes(bytes + from, size - from);
}

/* The whole file; NULL if there is none that may be believed. */
static char *read_file(const char *path, size_t *ret_size)
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) || !seal_is_trusted(&status) ||
	    status.st_size < (off_t)sizeof(struct header) ||
	    status.st_size > SIZE_MAX_BYTES)
		return NULL;
	scoped_free char *bytes = memory_allocate((size_t)status.st_size);

	if (read(fd, bytes, (size_t)status.st_size) != status.st_size)
		return NULL;
	*ret_size = (size_t)status.st_size;
	return take_pointer(bytes);
}

static bool is_sound(const struct header *header, const char *bytes, size_t size)
{
	return header->magic == MAGIC && header->row_count < SIZE_MAX_BYTES &&
	       header->value_count < SIZE_MAX_BYTES &&
	       sizeof(*header) + rows_size(header) + values_size(header) == size &&
	       header->checksum == checksum_of(bytes, size);
}

void feedback_load(const char *folder, uint64_t key, struct feedback *ret_feedback)
{
	scoped_free char *path = path_of(folder, key);
	size_t size;
	scoped_free char *bytes = read_file(path, &size);
	struct frequencies *frequencies = &ret_feedback->frequencies;
	struct header header;

	*ret_feedback = (struct feedback){0};
	if (!bytes)
		return;
	memcpy(&header, bytes, sizeof(header));
	if (!is_sound(&header, bytes, size))
		return;
	vector_reserve(&frequencies->rows, header.row_count + 1);
	vector_reserve(&frequencies->values, header.value_count + 1);
	frequencies->rows.count = header.row_count;
	frequencies->values.count = header.value_count;
	memcpy(frequencies->rows.items, bytes + sizeof(header), rows_size(&header));
	memcpy(frequencies->values.items, bytes + sizeof(header) + rows_size(&header),
	       values_size(&header));
	ret_feedback->runs = header.runs;
	if (!frequencies_are_sound(frequencies))
		feedback_deinit(ret_feedback);
}

/* As it is in the file; the caller frees it. */
static char *compose_file(const struct feedback *feedback, size_t *ret_size)
{
	const struct frequencies *frequencies = &feedback->frequencies;
	struct header header = {.magic = MAGIC,
				.row_count = frequencies->rows.count,
				.value_count = frequencies->values.count,
				.runs = feedback->runs};
	size_t rows = rows_size(&header), values = values_size(&header);
	char *bytes = memory_allocate(sizeof(header) + rows + values);

	*ret_size = sizeof(header) + rows + values;
	memcpy(bytes, &header, sizeof(header));
	if (rows)
		memcpy(bytes + sizeof(header), frequencies->rows.items, rows);
	if (values)
		memcpy(bytes + sizeof(header) + rows, frequencies->values.items, values);
	header.checksum = checksum_of(bytes, *ret_size);
	memcpy(bytes, &header, sizeof(header));
	return bytes;
}

bool feedback_save(const char *folder, uint64_t key, const struct feedback *feedback)
{
	scoped_free char *path = path_of(folder, key);
	size_t size;
	scoped_free char *bytes = compose_file(feedback, &size);
	struct text temporary = {0};
	bool good;

	text_format(&temporary, "%s.%d", path, getpid());
	scoped_fd int fd =
		open(temporary.data,
		     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	good = fd >= 0 && write(fd, bytes, size) == (ssize_t)size &&
	       !rename(temporary.data, path);
	if (fd >= 0 && !good)
		unlink(temporary.data);
	text_deinit(&temporary);
	return good;
}

bool feedback_is_used(const struct session_options *options)
{
	return collector_relocates(options->collector);
}

/* Names of one edition must be of files with the same content. */
uint32_t feedback_generation(const struct feedback *feedback, uint32_t plans)
{
	const struct frequencies *frequencies = &feedback->frequencies;
	uint64_t hash = 0;

	if (!frequencies->rows.count)
		return 0;
	hash = hash_bytes(frequencies->values.items,
			  frequencies->values.count * sizeof(frequency));
	hash ^= hash_bytes(frequencies->rows.items,
			   frequencies->rows.count * sizeof(struct frequencies_row)) *
		3;
	return plans << EDITION_SHIFT | (uint32_t)(hash & ((1u << EDITION_SHIFT) - 1)) |
	       1;
}

uint32_t feedback_plans(uint32_t edition)
{
	return edition >> EDITION_SHIFT;
}

void feedback_deinit(struct feedback *feedback)
{
	frequencies_deinit(&feedback->frequencies);
	*feedback = (struct feedback){0};
}
