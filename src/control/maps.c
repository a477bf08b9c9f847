#include "control/maps.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "control/remote.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The kernel keeps programs out of the first 64 KiB (vm.mmap_min_addr). */
#define LOWEST 0x10000u

/* Reads all of a /proc file, 0-terminated: free() it. */
static struct trm_error *read_all(int fd, char **ret_text)
{
	struct VECTOR(char) text = {0};
	ssize_t n;

	do {
		vector_reserve(&text, text.count + 0x8000);
		n = read(fd, text.items + text.count, 0x7fff);
		if (n > 0)
			text.count += (size_t)n;
	} while (n > 0);
	text.items[text.count] = '\0';
	if (!text.count) {
		free(text.items);
		return trm_error_create(TRM_ERROR_GONE, "the process ended");
	}
	*ret_text = text.items;
	return NULL;
}

/* Format: proc(5), /proc/pid/maps. */
static void add_line(struct maps *maps, char *line)
{
	struct mapping m = {0};
	unsigned int major, minor;
	char rights[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &m.start, &m.end, rights, &m.file_offset, &major, &minor, &m.inode,
		   &at) < 7)
		return;
	m.readable = rights[0] == 'r';
	m.writable = rights[1] == 'w';
	m.executable = rights[2] == 'x';
	m.shared = rights[3] == 's';
	m.device = makedev(major, minor);
	m.path = (uint32_t)maps->text.count;
	for (const char *c = line + at;; c++) {
		vector_push(&maps->text, *c);
		if (!*c)
			break;
	}
	vector_push(&maps->mappings, m);
}

struct trm_error *maps_read(pid_t pid, struct maps *maps)
{
	scoped_fd int fd = -1;
	scoped_free char *text = NULL;
	char *rest, *line;

	TRM_TRY(remote_open(pid, "maps", O_RDONLY, &fd));
	TRM_TRY(read_all(fd, &text));
	maps->mappings.count = maps->text.count = 0;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			add_line(maps, line);
	return NULL;
}

void maps_deinit(struct maps *maps)
{
	vector_deinit(&maps->mappings);
	vector_deinit(&maps->text);
}

const struct mapping *maps_find(const struct maps *maps, uint64_t address)
{
	vector_for_each (&maps->mappings, mapping)
		if (mapping->start <= address && address < mapping->end)
			return mapping;
	return NULL;
}

bool maps_is_free(const struct maps *maps, uint64_t start, uint64_t size)
{
	if (start < LOWEST || start + size > (1ull << 47) - PAGE || start + size < start)
		return false;
	vector_for_each (&maps->mappings, mapping)
		if (mapping->start < start + size && start < mapping->end)
			return false;
	return true;
}

uint64_t maps_count_bytes(const struct maps *maps, uint64_t start, uint64_t size,
			  bool (*counts)(const struct mapping *mapping))
{
	uint64_t bytes = 0;

	vector_for_each (&maps->mappings, mapping) {
		uint64_t from = mapping->start > start ? mapping->start : start;
		uint64_t to = mapping->end < start + size ? mapping->end : start + size;

		if (from < to && counts(mapping))
			bytes += to - from;
	}
	return bytes;
}

static uint64_t distance_between(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

uint64_t maps_find_free(const struct maps *maps, uint64_t near, uint64_t size,
			uint64_t reach)
{
	uint64_t best = 0;

	vector_for_each (&maps->mappings, mapping) {
		/* Keep away from what grows: leave room above a heap and below a stack.
		 */
		const uint64_t room = 64u << 20;
		uint64_t places[2] = {mapping->end + room, mapping->start - size - room};

		for (int i = 0; i < 2; i++) {
			uint64_t place = page_start(places[i]);

			if (distance_between(place, near) < reach &&
			    maps_is_free(maps, place, size) &&
			    (!best || distance_between(place, near) <
					      distance_between(best, near)))
				best = place;
		}
	}
	return best;
}
