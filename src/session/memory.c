#include "session/memory.h"

#include "base/cleanup.h"
#include "session/loop.h"
#include "session/release.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often it is looked what arenas take: programs write to them by themselves. */
#define LOOK_NS 50000000
#define ACT_NS  250000000

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

static void look(struct session *session)
{
	struct memory_use *memory = &session->memory;

	memory->used = 0;
	vector_for_each (&session->families, family)
		memory->used += arena_memory((*family)->arena);
	memory->next_ns = session_now() + LOOK_NS;
}

bool memory_allows(struct session *session, uint64_t size)
{
	struct memory_use *memory = &session->memory;
	const uint64_t limit = session->options->memory_limit;

	if (!limit)
		return true;
	/* What was given back since is not known of before. */
	if (session_now() >= memory->next_ns || memory->used + size > limit)
		look(session);
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

static void set_reason(struct session *session)
{
	if (!session->memory.reason)
		session->memory.reason = make_reason(session->options->memory_limit);
}

/* What all banks of a process take. */
static uint64_t memory_of(const struct process *process)
{
	uint64_t sum = 0;

	if (!process->space || !process->space->family || process->watched)
		return 0;
	const struct arena *arena = process->space->family->arena;

	vector_for_each (&arena->banks, bank)
		if ((*bank)->owner == process->pid)
			sum += arena_bank_memory(arena, *bank);
	return sum;
}

/* The counters of running threads grow as they are used: only those that were promised
 * something are counted on when new ones come. */
uint64_t memory_act(struct session *session)
{
	struct memory_use *memory = &session->memory;
	const uint64_t limit = session->options->memory_limit, now = session_now();
	struct process *largest = NULL;
	uint64_t most = 0;

	if (!limit)
		return UINT64_MAX;
	if (now < memory->next_look_ns)
		return memory->next_look_ns - now;
	memory->next_look_ns = now + ACT_NS;
	look(session);
	if (memory->used < limit / 4 * 5 + memory->retired)
		return ACT_NS;
	vector_for_each (&session->all_processes, process) {
		uint64_t size = memory_of(*process);

		if (size <= most)
			continue;
		most = size;
		largest = *process;
	}
	if (!largest)
		return ACT_NS;
	/* It takes the memory along that it has. */
	memory->retired += most;
	set_reason(session);
	release_space(session, largest, "%s", memory->reason);
	return ACT_NS;
}

struct trm_error *memory_ask(struct session *session, uint64_t size)
{
	if (memory_allows(session, size))
		return NULL;
	set_reason(session);
	return trm_error_create(TRM_ERROR_LIMIT, "%s", session->memory.reason);
}
