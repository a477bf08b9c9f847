#include "session/state/memory.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "session/state/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often it is looked what arenas take: programs write to them by themselves. */
#define LOOK_NS 50000000

/* The least of `memory.max` of the control groups, from that of this process up to the
 * root; UINT64_MAX: nothing is limited there. */
static uint64_t group_limit(void)
{
	char line[4096] = "", path[4200];
	scoped_file FILE *own = fopen("/proc/self/cgroup", "re");
	uint64_t least = UINT64_MAX;

	while (own && fgets(line, sizeof(line), own) && strncmp(line, "0::", 3) != 0)
		;
	line[strcspn(line, "\n")] = '\0';
	while (!strncmp(line, "0::/", 4)) {
		unsigned long long limit;

		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", line + 3);
		scoped_file FILE *file = fopen(path, "re");

		if (file && fscanf(file, "%llu", &limit) == 1 && limit < least)
			least = limit;
		*strrchr(line, '/') = '\0';
	}
	return least;
}

uint64_t memory_default_limit(void)
{
	uint64_t memory =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t group = group_limit();

	return (group < memory ? group : memory) / 4;
}

void memory_look(struct session *session)
{
	struct memory_use *memory = &session->memory;

	memory->used = 0;
	vector_for_each (&session->families, family)
		memory->used += arena_memory((*family)->arena);
	memory->next_ns = clock_now_ns() + LOOK_NS;
}

/* Whether arenas may take `size` bytes more. */
static bool memory_allows(struct session *session, uint64_t size)
{
	struct memory_use *memory = &session->memory;
	const uint64_t limit = session->options->memory_limit;

	if (!limit)
		return true;
	/* What was given back since is not known of before. */
	if (clock_now_ns() >= memory->next_ns || memory->used + size > limit)
		memory_look(session);
	if (memory->used + size > limit)
		return false;
	memory->used += size;
	return true;
}

static char *make_reason(uint64_t limit)
{
	const bool large = limit >= 1u << 30;
	char *reason = NULL;

	if (asprintf(
		    &reason,
		    "what trammel shares with the programs has reached its limit of %.*f "
		    "%s of memory: allow more with --memory",
		    large, (double)limit / (large ? 1u << 30 : 1u << 20),
		    large ? "GiB" : "MiB") < 0)
		abort();
	return reason;
}

void memory_set_reason(struct session *session)
{
	if (!session->memory.reason)
		session->memory.reason = make_reason(session->options->memory_limit);
}

struct trm_error *memory_ask(struct session *session, uint64_t size)
{
	if (memory_allows(session, size))
		return NULL;
	memory_set_reason(session);
	return trm_error_create(TRM_ERROR_LIMIT, "%s", session->memory.reason);
}
