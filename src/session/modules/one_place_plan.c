#include "session/modules/one_place_plan.h"

#include "base/cleanup.h"
#include "control/maps.h"
#include "control/remote.h"
#include "session/cache/file_plans.h"
#include "session/cache/module_file.h"
#include "session/modules/code_addresses.h"
#include "session/modules/mapped.h"

#include <string.h>
#include <unistd.h>

/* Plans of one file at most: they stay in memory until the end, and so do the places of
 * their counters. */
#define PLANS_MAX 128

/* Whether a file is the module's, in all but where its trampolines lie. */
static bool is_like(const struct module_file *file, const struct module_file *wanted)
{
	return file->plan && !file->lazy && file->bare == wanted->bare &&
	       file->copies_calls == wanted->copies_calls &&
	       !memcmp(&file->identity, &wanted->identity, sizeof(file->identity));
}

/* `ret_count`: of the module's file, so many plans there are. */
static struct module_file *find_plan(const struct session *session,
				     const struct module *module, uint64_t place,
				     uint32_t *ret_count)
{
	*ret_count = 0;
	vector_for_each (&session->files, file) {
		if (!is_like(*file, module->file))
			continue;
		if ((*file)->plan->code_address == place - module->bias)
			return *file;
		(*ret_count)++;
	}
	return NULL;
}

static struct trm_error *make_plan(struct session *session, const struct thread *thread,
				   const struct module *module, uint64_t place,
				   struct module_file **ret_file)
{
	const struct mapping *mapping = NULL;
	struct stat status;

	vector_for_each (&session->maps.mappings, m)
		if (m->start == module->text_start)
			mapping = m;
	if (!mapping)
		return trm_error_create(TRM_ERROR_GONE, "the module is gone");
	scoped_fd int fd = mapped_open(thread->tid, mapping,
				       maps_path(&session->maps, mapping), &status);

	if (fd < 0)
		return trm_error_create(TRM_ERROR_GONE, "the module's file is gone");
	const struct module_use use = {.path = module->file->path,
				       .bare = module->file->bare,
				       .copies_calls = module->file->copies_calls};
	struct module_file *file = module_file_open_at(
		fd, &status, &use, session->options, place - module->bias);

	file->index = (uint32_t)session->files.count;
	vector_push(&session->files, file);
	*ret_file = file;
	return NULL;
}

struct trm_error *one_place_plan_make(struct session *session, struct thread *thread,
				      struct module *module, uint64_t place)
{
	uint32_t count;
	struct module_file *file = find_plan(session, module, place, &count);

	if (!file && count >= PLANS_MAX)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"its trampolines have been at %u other places",
					count);
	if (!file)
		TRM_TRY(make_plan(session, thread, module, place, &file));
	module->file = file;
	module->code_address = place;
	if (!file->plan)
		return trm_error_create(TRM_ERROR_UNSUPPORTED, "%s", file->trouble);
	return code_addresses_choose_ways(session, thread, module);
}
