#include "session/state/generated_code.h"

#include "base/clock.h"
#include "control/maps.h"
#include "control/remote.h"
#include "session/state/space.h"

#include <string.h>

/* Mappings are read again after the longer time; for an address that is in none of those
 * known, after the shorter one. */
#define OLD_NS   500000000ull
#define YOUNG_NS 20000000ull

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), size = strlen(end);

	return length >= size && !strcmp(text + length - size, end);
}

/* By their names: what the kernel maps, modules and trammel's own are left out. */
static bool may_be_made(const char *path)
{
	static const char own[] = "/memfd:trammel";

	if (!*path || !strcmp(path, "[heap]") || !strncmp(path, "[stack", 6) ||
	    !strncmp(path, "[anon", 5) || !strcmp(path, "/dev/zero"))
		return true;
	return ends_with(path, " (deleted)") && strncmp(path, own, strlen(own)) != 0;
}

static void read_mappings(struct session *session, struct space *space, pid_t tid,
			  uint64_t now)
{
	struct maps *maps = &session->maps;
	struct generated_code *generated = &space->generated;

	generated->read_ns = now;
	generated->ranges.count = 0;
	if (space->tools || remote_failed(maps_read(tid, maps)))
		return;
	vector_for_each (&maps->mappings, mapping)
		if (mapping->executable && mapping->readable &&
		    may_be_made(maps_path(maps, mapping)))
			vector_push(
				&generated->ranges,
				((struct generated_range){mapping->start, mapping->end}));
}

static const struct generated_range *find_range(const struct space *space,
						uint64_t address)
{
	vector_for_each (&space->generated.ranges, range)
		if (address >= range->start && address < range->end)
			return range;
	return NULL;
}

size_t generated_code_bytes(struct session *session, struct space *space, pid_t tid,
			    uint64_t address)
{
	const struct generated_range *range = find_range(space, address);
	const uint64_t now = clock_now_ns();

	if (now - space->generated.read_ns > (range ? OLD_NS : YOUNG_NS)) {
		read_mappings(session, space, tid, now);
		range = find_range(space, address);
	}
	return range ? range->end - address : 0;
}

bool generated_code_is_at(const struct space *space, uint64_t address)
{
	return find_range(space, address);
}
