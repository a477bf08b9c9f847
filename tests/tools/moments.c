/* A tool that prints what it is told: starts, ends, forks, threads, modules, and calls of
 * functions that are called plugin_*. */
#include <trammel/tool.h>

#include <stdio.h>
#include <string.h>

/* --- program --------------------------------------------------------------------- */

TRAMMEL_ROUTINE void moments_tell(const char *what)
{
	fprintf(stderr, "= %s\n", what);
}

TRAMMEL_ROUTINE void moments_module(const char *what, const char *path, uint64_t bias)
{
	const char *slash = strrchr(path, '/');

	fprintf(stderr, "= %s %s %s\n", what, slash ? slash + 1 : path,
		bias % 4096 ? "odd" : "whole");
}

/* --- instrumentation ------------------------------------------------------------- */

static int start(const struct trammel_api *t, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	t->prototype("moments_tell(const char *)");
	t->prototype("moments_module(const char *, const char *, uint64_t)");
	trammel_add_call(t, trammel_program_start(), "moments_tell",
			 trammel_text("start"));
	trammel_add_call(t, trammel_program_end(), "moments_tell", trammel_text("end"));
	trammel_add_call(t, trammel_fork(), "moments_tell", trammel_text("forked"));
	trammel_add_call(t, trammel_module_load(), "moments_module", trammel_text("load"),
			 trammel_module_path(), trammel_module_bias());
	trammel_add_call(t, trammel_module_unload(), "moments_module",
			 trammel_text("unload"), trammel_module_path(),
			 trammel_module_bias());
	return 0;
}

static void function(const struct trammel_api *t, const struct trammel_function *f)
{
	if (!strncmp(f->name, "plugin_", 7))
		trammel_add_call(t, trammel_entry(f), "moments_tell",
				 trammel_text(f->name));
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "moments", "tells what happens", start, NULL,
		function,          NULL};
