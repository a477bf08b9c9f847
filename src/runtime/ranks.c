#include "runtime/ranks.h"

#include "runtime/channel/channel.h"
#include "runtime/outside.h"

#include <dlfcn.h>

static runtime_local struct {
	const void *communicator;
	bool alone;
} chosen;

/* Looked for each time until it is there: it may be loaded late. */
static const struct runtime_ranks *find(void)
{
	static const struct runtime_ranks *known;
	const struct runtime_ranks *found =
		known ? known : dlsym(RTLD_DEFAULT, RUNTIME_RANKS);

	if (!found || found->abi != RUNTIME_RANKS_ABI)
		return NULL;
	known = found;
	return found;
}

bool ranks_are_known(void)
{
	return find() != NULL;
}

bool ranks_may_be(void)
{
	return dlsym(RTLD_DEFAULT, "PMPI_Init") != NULL;
}

bool ranks_are_together(void)
{
	const struct runtime_ranks *ranks = find();

	return ranks && ranks->are_together();
}

static void say(const char *name, int number)
{
	uint32_t attribute =
		attributes_create(name, TRM_TYPE_INT, RUNTIME_RANK_PROPERTIES);

	if (attribute)
		values_keep_process(attribute, (uint64_t)number);
}

/* The program may have initialised MPI when nothing was measured yet. */
void ranks_say(void)
{
	static bool said;
	int rank, ranks = 0;

	if (said || !ranks_are_together())
		return;
	rank = find()->rank(&ranks);
	say("mpi.rank", rank);
	say("mpi.size", ranks);
	said = true;
}

void ranks_choose(const void *communicator, bool alone)
{
	chosen.communicator = communicator;
	chosen.alone = alone;
}

publish_reduce *ranks_reduce(void **ret_processes)
{
	if (chosen.alone || !ranks_are_together())
		return NULL;
	*ret_processes = (void *)(uintptr_t)chosen.communicator;
	return find()->reduce;
}
