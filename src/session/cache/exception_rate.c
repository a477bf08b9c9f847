#include "session/cache/exception_rate.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "session/cache/cache.h"
#include "session/cache/cache_key.h"
#include "session/options/policy.h"
#include "wire/control.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* So much of the threads' time went into looking, as far as the resident saw. It is more
 * by as much again, for getting there; and unwinding takes four times as long, in which
 * calls are in place anyhow: with a twentieth, not much is left that would be slower. */
enum { SHARE = 20 };

/* Fewer say nothing. */
enum { LOOKS_MIN = 50000 };

/* One run in so many is as if nothing were known. */
enum { RUNS_ANEW = 16 };

uint64_t exception_rate_key(int exe)
{
	struct stat status;

	return fstat(exe, &status) ? 0 : cache_program_key(&status);
}

static char *path_of(const struct cache *cache, uint64_t key)
{
	const char *folder = key ? cache_folder(cache) : NULL;
	struct text path = {0};

	if (!folder)
		return NULL;
	text_format(&path, "%s/%016lx.throws", folder, key);
	return path.data;
}

bool exception_rate_is_expected(const struct cache *cache, uint64_t key)
{
	scoped_free char *path = path_of(cache, key);

	return path && policy_of_learning() != POLICY_NEVER && !access(path, F_OK) &&
	       (policy_of_learning() == POLICY_ALWAYS || !policy_by_chance(RUNS_ANEW));
}

void exception_rate_keep(const struct cache *cache, uint64_t key,
			 const struct wire_looks *looks)
{
	scoped_free char *path = path_of(cache, key);
	enum policy policy = policy_of_learning();
	bool always = policy == POLICY_ALWAYS;

	if (!path || policy == POLICY_NEVER || looks->count < (always ? 1 : LOOKS_MIN))
		return;
	if (looks->ticks < looks->elapsed / SHARE && !always) {
		unlink(path);
		return;
	}
	/* If it cannot be written, the next run is like this one. */
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		close(fd);
}
