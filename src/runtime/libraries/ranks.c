#include "runtime/libraries/ranks.h"
#include "runtime/libraries/loads.h"
#include "runtime/libraries/publisher.h"
#include "runtime/libraries/ranks_api.h"
#include "runtime/libraries/wrap.h"
#include "runtime/store/attributes.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"
#include "runtime/store/values.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static runtime_local struct {
	const void *communicator;
	bool alone;
} chosen;

static struct {
	struct runtime_lock lock;
	const struct runtime_ranks *found;
	bool looked; /* for the library, since MPI's is there */
	bool loaded; /* by us, so that calls lead to it only if something is changed */
	bool all;    /* calls lead to it */
} known;

/* Whether MPI's library is there, where the program finds it. */
static bool has_mpi(void)
{
	return dlsym(RTLD_DEFAULT, "PMPI_Init") != NULL;
}

/* Whether what started this process has started ranks: a program may load MPI's library
 * late, as those in Python do. */
static bool is_launched(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					    "PMIX_RANK", "MPI_LOCALNRANKS"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			return true;
	return false;
}

/* Where ranks meet and part. */
static bool is_end(const char *name)
{
	return !strncasecmp(name, "MPI_Init", 8) ||
	       !strncasecmp(name, "MPI_Finalize", 12);
}

/* What the program calls goes to the wrappers from now on: calls of all functions, or at
 * the ends, as each costs something. */
static void install_ranks(const struct runtime_ranks *ranks, bool all)
{
	size_t most = *ranks->wrapper_count, count = 0;
	struct wrap *wraps = runtime_map(most * sizeof(*wraps));

	for (size_t i = 0; wraps && i < most; i++)
		if (all || is_end(ranks->wrappers[i].name))
			wraps[count++] = (struct wrap){ranks->wrappers[i].name,
						       ranks->wrappers[i].wrapper, NULL};
	if (!wraps)
		return;
	wrap_install_many(wraps, count, "mpi_");
	loads_watch();
}

static const struct runtime_ranks *load_ranks(void)
{
	void *library = publisher_load(RUNTIME_RANKS_LIBRARY, "../mpi/");
	const struct runtime_ranks *ranks =
		library ? dlsym(library, RUNTIME_RANKS) : NULL;

	if (!ranks || ranks->abi != RUNTIME_RANKS_ABI)
		return NULL;
	install_ranks(ranks, false);
	known.loaded = true;
	return ranks;
}

static const struct runtime_ranks *look_for_ranks(void)
{
	const struct runtime_ranks *ranks = dlsym(RTLD_DEFAULT, RUNTIME_RANKS);

	if (ranks)
		return ranks->abi == RUNTIME_RANKS_ABI ? ranks : NULL;
	if (known.looked || (!has_mpi() && !is_launched()))
		return NULL;
	known.looked = true;
	return load_ranks();
}

/* Looked for each time until it is there. */
static const struct runtime_ranks *find_rank(void)
{
	const struct runtime_ranks *found =
		__atomic_load_n(&known.found, __ATOMIC_ACQUIRE);

	if (found)
		return found;
	runtime_lock(&known.lock);
	if (!known.found)
		__atomic_store_n(&known.found, look_for_ranks(), __ATOMIC_RELEASE);
	found = known.found;
	runtime_unlock(&known.lock);
	return found;
}

bool ranks_are_known(void)
{
	return find_rank() != NULL;
}

void ranks_watch_calls(void)
{
	const struct runtime_ranks *ranks = find_rank();

	runtime_lock(&known.lock);
	if (ranks && known.loaded && !known.all) {
		install_ranks(ranks, true);
		known.all = true;
	}
	runtime_unlock(&known.lock);
}

bool ranks_may_be(void)
{
	return (has_mpi() || is_launched()) && find_rank();
}

static pid_t loader; /* of this library */

static __attribute__((constructor)) void note_loader(void)
{
	loader = getpid();
}

/* Whether all ranks can act together now. */
static bool are_together(void)
{
	const struct runtime_ranks *ranks = find_rank();

	return ranks && ranks->are_together(loader);
}

static void say_rank(const char *name, int number)
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

	if (said || !are_together())
		return;
	rank = find_rank()->rank(&ranks);
	say_rank("mpi.rank", rank);
	say_rank("mpi.size", ranks);
	said = true;
}

void ranks_choose(const void *communicator, bool alone)
{
	chosen.communicator = communicator;
	chosen.alone = alone;
}

publish_reduce *ranks_reduce(void **ret_processes)
{
	if (chosen.alone || !are_together())
		return NULL;
	*ret_processes = (void *)(uintptr_t)chosen.communicator;
	return find_rank()->reduce;
}

publish_spread *ranks_spread(void)
{
	return find_rank()->spread;
}
