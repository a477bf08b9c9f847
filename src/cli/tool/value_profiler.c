#include "cli/tool/value_profiler.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "session/options/options.h"

#include <dlfcn.h>
#include <string.h>
#include <trammel/values.h>

static bool is_usable(const struct trammel_value_profiler *profiler)
{
	return profiler->version == TRAMMEL_VALUES_VERSION &&
	       profiler->size >= sizeof(*profiler) && profiler->name && *profiler->name &&
	       strlen(profiler->name) < 32 && profiler->choose && profiler->fold;
}

struct trm_error *value_profiler_open(const char *path,
				      const struct trammel_value_profiler **ret_profiler)
{
	const struct trammel_value_profiler *profiler;
	struct text whole = {0};
	void *object;

	/* Without a slash the name would be looked for among the system's libraries. */
	text_format(&whole, "%s%s", strchr(path, '/') ? "" : "./", path);
	object = dlopen(whole.data, RTLD_NOW | RTLD_LOCAL);
	text_deinit(&whole);
	if (!object)
		return trm_error_create(TRM_ERROR_USAGE, "--values-plugin '%s': %s", path,
					dlerror());
	profiler = dlsym(object, "trammel_value_profiler");
	if (!profiler)
		return trm_error_create(TRM_ERROR_USAGE,
					"--values-plugin '%s': it has no "
					"'trammel_value_profiler': see "
					"<trammel/values.h>",
					path);
	if (!is_usable(profiler))
		return trm_error_create(TRM_ERROR_USAGE,
					"--values-plugin '%s': it is of another version, "
					"or lacks its name, choose or fold",
					path);
	*ret_profiler = profiler;
	return NULL;
}

struct trm_error *value_kinds_read(struct session_values *values)
{
	static const char *const names[] = {
		[VALUE_KIND_VALUES] = "vprof",
		[VALUE_KIND_ADDRESSES] = "vaddr",
		[VALUE_KIND_REPLAYS] = "vreplay",
		[VALUE_KIND_LATENCY] = "vlatency",
	};
	scoped_free char *list =
		memory_copy_string(values->kinds ? values->kinds : "vprof,vaddr,vreplay");
	char *rest = list, *name;

	while ((name = strsep(&rest, ","))) {
		size_t i = 0;

		while (i < array_count(names) && strcmp(names[i], name) != 0)
			i++;
		if (i == array_count(names))
			return trm_error_create(TRM_ERROR_USAGE,
						"--values '%s' is none of vprof, vaddr, "
						"vreplay and vlatency",
						name);
		values->want[i] = true;
	}
	return NULL;
}
