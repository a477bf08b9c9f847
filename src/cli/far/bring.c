#include "cli/far/bring.h"

#include "base/cleanup.h"
#include "base/text.h"

#ifdef TRAMMEL_CONTROL

#include "trammel/control.h"

#include <stdlib.h>
#include <string.h>

/* The last one that was reached: a report wants several files of it. */
static struct {
	char *name;
	struct trm_engine *engine;
} reached;

static struct trm_error *reach_engine(const struct far_way *way, const char *name)
{
	scoped_free char *command = far_command(way, name);
	const char *key = command ? command : name;

	if (reached.name && !strcmp(reached.name, key))
		return NULL;
	trm_engine_release(reached.engine);
	free(reached.name);
	reached.name = NULL;
	reached.engine = NULL;
	TRM_TRY(far_open(way, name, true, &reached.engine));
	reached.name = memory_copy_string(key);
	return NULL;
}

struct trm_error *far_bring(const struct far_way *way, const char *name, const char *path,
			    const char *build_id, bool debug, const char *to)
{
	TRM_TRY(reach_engine(way, name));
	return trm_engine_module(reached.engine, path, build_id, debug, to);
}

#else

struct trm_error *far_bring(const struct far_way *way, const char *name, const char *path,
			    const char *build_id, bool debug, const char *to)
{
	(void)way, (void)name, (void)path, (void)build_id, (void)debug, (void)to;
	return far_missing();
}

#endif
