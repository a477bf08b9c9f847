#include "session/modules/modules.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "control/maps.h"
#include "control/remote.h"
#include "session/cache/address_maps.h"
#include "session/cache/cache.h"
#include "session/cache/cache_key.h"
#include "session/cache/file_plans.h"
#include "session/cache/lazy_file.h"
#include "session/cache/module_file.h"
#include "session/cache/plan_workers.h"
#include "session/cache/usual_addresses.h"
#include "session/count/call_sites.h"
#include "session/count/window.h"
#include "session/modules/code_addresses.h"
#include "session/modules/mapped.h"
#include "session/modules/one_place_plan.h"
#include "session/modules/originals.h"
#include "session/modules/pages.h"
#include "session/modules/swap.h"
#include "session/modules/texts.h"
#include "session/modules/trampolines.h"
#include "session/modules/unmeasured.h"
#include "session/modules/unpatched.h"
#include "session/state/copies.h"
#include "session/state/debugging.h"
#include "session/state/inline_cache.h"
#include "session/state/memory.h"
#include "session/state/module.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/state/unpatched_list.h"
#include "session/thread/banks.h"
#include "session/thread/borrowed_thread.h"
#include "session/thread/injection.h"
#include "session/tool/tool_data.h"
#include "wire/control.h"
#include "wire/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_for(const struct module_file *file, const struct module_use *use)
{
	return file->bare == use->bare && file->copies_calls == use->copies_calls &&
	       file->variant == use->variant && (!file->lazy || use->lazy);
}

/* Returns whether the program can open the tracer's files by their names. */
static bool has_our_root(pid_t pid)
{
	char link[64], root[8];

	snprintf(link, sizeof(link), "/proc/%d/root", pid);
	ssize_t length = readlink(link, root, sizeof(root));

	return length == 1 && root[0] == '/';
}

/* Returns the use for which a mapping's file is opened. */
static struct module_use use_of(const struct session *session,
				const struct thread *thread,
				const struct mapping *mapping, unsigned int variant)
{
	const struct space *space = thread->process->space;

	return (struct module_use){
		.path = maps_path(&session->maps, mapping),
		.bare = space->bare,
		.copies_calls = space->copies_calls,
		.lazy = !session->attached && !session->never_lazy &&
			space->family->spreads && has_our_root(thread->tid),
		.variant = variant,
	};
}

static struct module_file *find_file(struct session *session, const struct stat *status,
				     const struct module_use *use)
{
	struct file_identity identity = file_identity_of(status);

	vector_for_each (&session->files, file)
		if (is_for(*file, use) &&
		    !memcmp(&(*file)->identity, &identity, sizeof(identity)))
			return *file;
	return NULL;
}

/* Returns the file of a mapping; NULL if it cannot be opened, or, as `ret_later`
 * tells, is being planned. */
static struct module_file *file_of_mapping(struct session *session,
					   const struct thread *thread,
					   const struct mapping *mapping,
					   unsigned int variant, bool *ret_later)
{
	const struct module_use use = use_of(session, thread, mapping, variant);
	struct stat status;
	scoped_fd int fd = mapped_open(thread->tid, mapping, use.path, &status);

	*ret_later = false;
	if (fd < 0)
		return NULL;
	struct module_file *file = find_file(session, &status, &use);

	if (!file) {
		plan_workers_request(session->plan_workers, fd, &status, &use);
		*ret_later = true;
	}
	return file;
}

/* Makes another plan, for trampolines at another distance, where `size` bytes are free.
 */
static struct trm_error *find_place(struct session *session, struct thread *thread,
				    struct module *module, uint64_t size)
{
	uint64_t place = code_addresses_find(thread, module->text_start, size);

	if (!place)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"no room for trampolines within 2 GiB");
	return one_place_plan_make(session, thread, module, place);
}

/* Chooses the place of a module's code: the usual one, or if it is taken another. */
static struct trm_error *make_place(struct session *session, struct thread *thread,
				    struct module *module)
{
	const struct plan *plan = module->file->plan;
	uint64_t size = address_maps_code_size(module->file);

	module->code_address = module->bias + plan->code_address;
	TRM_TRY(code_addresses_choose_ways(session, thread, module));
	if (code_addresses_are_free(session, thread->process->space, module->code_address,
				    size))
		return NULL;
	return find_place(session, thread, module, size);
}

static struct trm_error *too_many_texts(void)
{
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"too many modules for calls in relocated code");
}

/* Returns whether the text is patched in one piece, by calls of the program's, if it
 * may open the tracer's file. */
static bool is_swapped_in(const struct session *session, const struct module *module,
			  pid_t pid)
{
	const struct image_range part = module_part_of(module);

	return !session->attached && module->file->cached_path && module->readable &&
	       part.end - part.start >= MODULE_COPIED_MIN && has_our_root(pid);
}

/* Writes the patches that a file got after it was made, which are in no run. */
static struct trm_error *write_news(const struct space *space,
				    const struct module *module)
{
	const struct lazy_file *lazy = module->file->lazy;

	return lazy && lazy->news.count
		       ? pages_write(space, module, module->text_start, false)
		       : NULL;
}

/* Patches the text, whose trampolines are mapped: in one piece, else by writing to it. */
static struct trm_error *patch_text(struct session *session, struct thread *thread,
				    struct module *module)
{
	struct space *space = thread->process->space;
	struct wire_batch batch = {0};
	int moved = -1;

	if (session->attached)
		return swap_prepare(session, thread, module);
	if (is_swapped_in(session, module, thread->tid)) {
		unsigned int opened =
			trampolines_open(&batch, space->family->arena, module);

		moved = swap_add_text(session, space, module, opened, NULL, &batch);
		BATCH_ADD(&batch, SYS_close, WIRE_RESULT(opened), 0, 0, 0, 0, 0);
	}
	if (moved >= 0)
		TRM_TRY(space_run(session, thread, &batch));
	if (swap_text_done(session, thread, module, &batch, moved))
		return write_news(space, module);
	return pages_write(space, module, module->text_start, false);
}

/* Patches a second text of a file whose trampolines exist already. */
static struct trm_error *place_text(struct session *session, struct thread *thread,
				    struct module *module)
{
	if (!texts_add(thread->process->space, module))
		return too_many_texts();
	return patch_text(session, thread, module);
}

/* Runs a batch that will not be made again later: where no thread can be used now,
 * another one soon can. */
static struct trm_error *run_surely(struct session *session, struct thread *thread,
				    struct wire_batch *batch)
{
	const struct timespec pause = {0, 1000000};
	struct trm_error *error = space_run(session, thread, batch);

	for (int tries = 0; tries < 100 && error && error->code == TRM_ERROR_GONE;
	     tries++) {
		trm_error_destroy(error);
		nanosleep(&pause, NULL);
		error = space_run(session, thread, batch);
	}
	return error;
}

/* Returns the errno of the first failure among the calls up to `last`: a call cannot
 * use what an earlier one failed to make. */
static int first_failure(const struct wire_batch *batch, unsigned int last)
{
	for (unsigned int i = 0; i <= last; i++)
		if (batch->calls[i].result < 0)
			return (int)-batch->calls[i].result;
	return EEXIST; /* mapped elsewhere */
}

/* Maps trampolines, from the cache file or a copy, and patches the text, which jumps
 * to them: where they cannot be mapped it stays as it is. */
static struct trm_error *map_code(struct session *session, struct thread *thread,
				  struct module *module, bool cached)
{
	struct space *space = thread->process->space;
	struct wire_batch batch = {0}, back = {0};
	struct trampolines_calls calls = {0};
	const bool swapped_in = cached && is_swapped_in(session, module, thread->tid);
	int moved = -1;

	TRM_TRY(trampolines_add(session, &batch, space->family, module, cached, &calls));
	if (swapped_in)
		moved = swap_add_text(session, space, module, calls.opened, &calls.last,
				      &batch);
	if (cached)
		BATCH_ADD(&batch, SYS_close, WIRE_RESULT(calls.opened), 0, 0, 0, 0, 0);
	TRM_TRY(space_run(session, thread, &batch));
	int64_t last = batch.calls[calls.last.call].result;

	if (last == (int64_t)calls.last.address) {
		module->code_size = address_maps_code_size(module->file);
		if (swap_text_done(session, thread, module, &batch, moved))
			return write_news(space, module);
		return patch_text(session, thread, module);
	}
	swap_text_done(session, thread, module, &batch, moved);
	trampolines_remove(&back, &batch, module, &calls);
	if (back.count)
		TRM_TRY(run_surely(session, thread, &back));
	copies_give(space->family, &module->copy);
	return trm_error_system(first_failure(&batch, calls.last.call),
				"the program cannot map trampolines");
}

static struct trm_error *place_code(struct session *session, struct thread *thread,
				    struct module *module)
{
	struct space *space = thread->process->space;

	TRM_TRY(tool_data_update(session, space));
	if (!texts_add(space, module))
		return too_many_texts();
	if (!session->attached && trampolines_are_cached(space->family, module) &&
	    has_our_root(thread->tid)) {
		struct trm_error *error = map_code(session, thread, module, true);

		if (!error || error->code == TRM_ERROR_GONE || module->code_size ||
		    module->file->lazy)
			return error;
		trm_error_destroy(error);
	}
	return map_code(session, thread, module, false);
}

static struct trm_error *give_counters(struct session *session, struct thread *thread,
				       struct module *module)
{
	struct space *space = thread->process->space;

	module->first_slot = trampolines_first_slot(space->family, module->file);
	return space_widen_banks(session, space, thread,
				 space->family->arena->slot_count);
}

/* Plans all functions of a module at once, for programs that cannot open the tracer's
 * memory files (they have other rights than the tracer, or another /proc). */
static struct trm_error *plan_at_once(struct session *session, struct thread *thread,
				      struct module *module)
{
	session->never_lazy = true;
	TRM_TRY(one_place_plan_make(session, thread, module, module->code_address));
	/* It may need more room than what was planned lazily. */
	const uint64_t size = address_maps_code_size(module->file);

	if (!code_addresses_are_free(session, thread->process->space,
				     module->code_address, size))
		TRM_TRY(find_place(session, thread, module, size));
	return give_counters(session, thread, module);
}

static struct trm_error *instrument_module(struct session *session, struct thread *thread,
					   struct module *module)
{
	struct space *space = thread->process->space;

	if (module->code_size) /* it was begun before */
		return place_text(session, thread, module);
	if (!module->stays)
		TRM_TRY(memory_ask(session, MEMORY_LEAST));
	vector_for_each (&space->modules, other) {
		if (other->file != module->file || other->bias != module->bias ||
		    other == module)
			continue;
		if (other->broken && !module->file->trouble)
			continue; /* it is no text that is known */
		if (other->broken)
			return trm_error_create(TRM_ERROR_UNSUPPORTED, "%s",
						module->file->trouble);
		if (other->unfinished)
			return trm_error_create(TRM_ERROR_GONE,
						"its trampolines are not mapped yet");
		module->code_address = other->code_address;
		module->address_maps_at = other->address_maps_at;
		module->first_slot = other->first_slot;
		return place_text(session, thread, module);
	}
	TRM_TRY(make_place(session, thread, module));
	if (!module->file->plan->code.count)
		return NULL;
	TRM_TRY(give_counters(session, thread, module));
	/* Only a mapping of the tracer's file can grow there. */
	if (module->file->lazy && (!trampolines_are_cached(space->family, module) ||
				   !has_our_root(thread->tid)))
		TRM_TRY(plan_at_once(session, thread, module));
	struct trm_error *error = place_code(session, thread, module);

	if (error && module->file->lazy && error->code != TRM_ERROR_GONE &&
	    !module->code_size) {
		trm_error_destroy(error);
		texts_remove(session, space, module);
		TRM_TRY(plan_at_once(session, thread, module));
		error = place_code(session, thread, module);
	}
	if (error)
		return error;
	if (module->file->leak_checked) {
		space->leak_checked = true;
		space->family->arena->control->watch_exit = 1;
	}
	return NULL;
}

static void note_file(struct image_run *image, struct module_file *file)
{
	file->used = true;
	vector_for_each (&image->files, index)
		if (*index == file->index)
			return;
	vector_push(&image->files, file->index);
}

/* Leaves a module as the file has it. What is told of its text goes first, as threads of
 * the program look there. */
static void give_up(struct session *session, struct thread *thread, struct module *module)
{
	const struct space *space = thread->process->space;

	texts_remove(session, space, module);
	if (module->code_size && !session->attached && module_text_of(module))
		trm_error_destroy(pages_write(space, module, module->text_start, true));
	module->broken = true;
}

static void try_to_instrument(struct session *session, struct thread *thread,
			      struct module *module)
{
	struct trm_error *error = instrument_module(session, thread, module);

	/* The thread ended, or cannot be used now: another one can do it. */
	module->unfinished =
		error && error->code == TRM_ERROR_GONE && thread->process->space->holding;
	if (error && !module->unfinished)
		give_up(session, thread, module);
	module->refused = error && error->code == TRM_ERROR_LIMIT;
	if (module->refused)
		vector_push(&thread->process->image->refused, module->file->index);
	else if (module->broken && !module->file->trouble)
		module->file->trouble = memory_copy_string(error->message);
	trm_error_destroy(error);
}

/* Returns whether a variant was made, or is being made, for this run: others may have
 * taken some of the room reserved for it, but then the room it needs is known. */
static bool is_chosen(const struct session *session, const struct thread *thread,
		      const struct mapping *mapping, unsigned int variant)
{
	const struct module_use use = use_of(session, thread, mapping, variant);

	vector_for_each (&session->files, file)
		if (is_for(*file, &use) && (*file)->identity.inode == mapping->inode)
			return true;
	return plan_workers_is_asked(session->plan_workers, mapping->inode, &use);
}

/* Returns the file of a mapping, in the first variant that has a place, else in the
 * first one. */
static struct module_file *choose_file(struct session *session,
				       const struct thread *thread,
				       const struct mapping *mapping, bool *ret_later)
{
	struct space *space = thread->process->space;
	struct module_file *first = NULL;

	for (unsigned int variant = 0; variant < MODULE_VARIANTS; variant++) {
		if (!is_chosen(session, thread, mapping, variant) &&
		    !code_addresses_promise(session, space, mapping, variant))
			continue;
		struct module_file *file =
			file_of_mapping(session, thread, mapping, variant, ret_later);

		if (*ret_later)
			code_addresses_reserve(session, space, mapping, variant);
		if (!file)
			return NULL;
		if (!first)
			first = file;
		if (code_addresses_suit(session, space, mapping, file))
			return file;
	}
	return first ? first : file_of_mapping(session, thread, mapping, 0, ret_later);
}

/* Notes a mapping that is no module, so that it has a row in the report. */
static void note_unmeasured(struct session *session, const struct thread *thread,
			    const struct mapping *mapping, const char *reason)
{
	note_file(thread->process->image, unmeasured_file(session, mapping, reason));
}

/* Adds the module of a mapping. Returns false if its file is still being planned. */
static bool add_module(struct session *session, struct thread *thread,
		       const struct mapping *mapping)
{
	struct space *space = thread->process->space;
	bool known = false, later;
	struct module_file *file = choose_file(session, thread, mapping, &later);
	struct module module = {.file = file,
				.text_start = mapping->start,
				.text_end = mapping->end,
				.readable = mapping->readable,
				.stays = space->starting};

	if (!file && !later)
		note_unmeasured(session, thread, mapping, "its file cannot be opened");
	if (!file)
		return !later;
	code_addresses_release(space, mapping);
	for (uint32_t i = 0; i < file->text_count; i++) {
		if (file->texts[i].file_offset == mapping->file_offset) {
			module.bias = mapping->start - file->texts[i].address;
			known = true;
		}
	}
	if (!known)
		module.bias = mapped_bias(thread->tid, mapping,
					  maps_path(&session->maps, mapping));
	module.broken = !file->plan || !known;
	if (!module.broken)
		try_to_instrument(session, thread, &module);
	note_file(thread->process->image, module.file);
	vector_push(&space->modules, module);
	window_loaded(session, module.file->path);
	session_note_change(session);
	return !module.unfinished;
}

/* Continues with modules for which no thread could be used; returns false if some
 * remain. */
static bool finish_modules(struct session *session, struct thread *thread)
{
	vector_for_each (&thread->process->space->modules, module) {
		if (module->unfinished)
			try_to_instrument(session, thread, module);
		if (module->unfinished)
			return false;
	}
	return true;
}

static bool is_text_of(const struct mapping *mapping, const struct module *module)
{
	return mapping->start == module->text_start && mapping->executable &&
	       mapping->inode == module->file->identity.inode;
}

static bool is_mapped(const struct maps *maps, const struct module *module)
{
	vector_for_each (&maps->mappings, mapping)
		if (is_text_of(mapping, module))
			return true;
	return false;
}

/* Unmaps the trampolines of a module that is gone, since another may come to lie
 * there. */
static void unmap_code(struct session *session, struct thread *thread,
		       const struct module *module)
{
	struct wire_batch batch = {0};

	swap_forget(session, thread, module);
	if (!module->code_size || module->broken)
		return;
	BATCH_ADD(&batch, SYS_munmap, module->code_address, module->code_size, 0, 0, 0,
		  0);
	if (module->address_maps_size)
		BATCH_ADD(&batch, SYS_munmap, module->address_maps_at,
			  module->address_maps_size, 0, 0, 0, 0);
	trm_error_destroy(space_run(session, thread, &batch));
}

/* Returns whether a mapping is the module's trampolines, from a cache file. */
static bool is_code_of(const struct mapping *mapping, const struct module *module)
{
	return mapping->start >= module->code_address &&
	       mapping->start < module->code_address + module->code_size;
}

/* Returns whether a mapping is a piece of the module's text, also where the program
 * split it into pieces with access rights of their own. */
static bool is_piece_of(const struct mapping *mapping, const struct module *module)
{
	return mapping->start >= module->text_start && mapping->end <= module->text_end &&
	       mapping->inode == module->file->identity.inode;
}

static bool is_known(const struct space *space, const struct mapping *mapping)
{
	vector_for_each (&space->modules, module)
		if (module->text_start == mapping->start ||
		    module->kept == mapping->start || module->staged == mapping->start ||
		    is_code_of(mapping, module) || is_piece_of(mapping, module))
			return true;
	return false;
}

static bool is_code_of_a_file(const struct mapping *mapping, const char *path)
{
	return mapping->executable && !mapping->shared && !mapping->writable &&
	       mapping->inode && path[0] == '/';
}

void modules_drop(struct session *session, struct thread *thread)
{
	struct space *space = thread->process->space;

	for (size_t i = space->modules.count; i-- > 0;) {
		struct module *module = &space->modules.items[i];

		if (is_mapped(&session->maps, module))
			continue;
		texts_remove(session, space, module);
		call_sites_note_gone(space, module);
		inline_cache_forget_module(session, space, module);
		unpatched_forget(space, module);
		unmap_code(session, thread, module);
		copies_give(space->family, &module->copy);
		vector_remove_swap(&space->modules, i);
	}
}

/* Returns whether a file is trammel's: trampolines of a module that is gone may be
 * among mappings that were read before. */
static bool is_ours(const struct session *session, const char *path)
{
	const char *folder = cache_folder(session->cache);
	size_t length = folder ? strlen(folder) : 0;

	return (length && !strncmp(path, folder, length) && path[length] == '/') ||
	       !strncmp(path, "/memfd:trammel", strlen("/memfd:trammel"));
}

static bool is_new_code(const struct session *session, const struct space *space,
			const struct mapping *mapping)
{
	const char *path = maps_path(&session->maps, mapping);

	return is_code_of_a_file(mapping, path) && !is_ours(session, path) &&
	       !is_known(space, mapping);
}

/* Requests plans of the files of new mappings; returns whether all are planned. */
static bool are_planned(struct session *session, const struct thread *thread)
{
	bool complete = true, later;

	for (size_t i = 0; i < session->maps.mappings.count; i++) {
		const struct mapping *mapping = &session->maps.mappings.items[i];

		if (!is_new_code(session, thread->process->space, mapping))
			continue;
		file_of_mapping(session, thread, mapping, 0, &later);
		complete &= !later;
	}
	return complete;
}

/* A new image's loader comes first, which lies above the program: its hook is what takes
 * the text back if the tracer dies before the C library is loaded (resident_alone).
 */
static bool add_modules(struct session *session, struct thread *thread)
{
	bool new_image = thread->state == THREAD_EXEC, complete = true;
	size_t count = session->maps.mappings.count;

	if (!are_planned(session, thread))
		return false;
	/* By index: instrumenting may not move the list, but a module may be added twice
	 * over when a process maps one file at two places. */
	for (size_t i = 0; i < count; i++) {
		const struct mapping *mapping =
			&session->maps.mappings.items[new_image ? count - 1 - i : i];

		if (is_new_code(session, thread->process->space, mapping))
			complete &= add_module(session, thread, mapping);
	}
	return complete;
}

/* Notes code that cannot be measured because of the access rights of its mapping: of a
 * measured module, or by itself. */
static void note_others(struct session *session, const struct thread *thread)
{
	const struct space *space = thread->process->space;

	vector_for_each (&session->maps.mappings, mapping) {
		const char *reason =
			mapping->writable || mapping->shared
				? unmeasured_reason(thread->tid, &session->maps, mapping)
				: NULL;
		bool known = false;

		if (!reason)
			continue;
		vector_for_each (&space->modules, module)
			if (module->file->identity.inode == mapping->inode) {
				unmeasured_part(module->file);
				known = true;
			}
		if (!known)
			note_unmeasured(session, thread, mapping, reason);
	}
}

bool modules_update(struct session *session, struct thread *thread)
{
	struct space *space = thread->process->space;
	uint64_t start = clock_now_ns();
	struct trm_error *error = maps_read(thread->tid, &session->maps);

	if (error) {
		trm_error_destroy(error);
		return true;
	}
	modules_drop(session, thread);
	bool complete = finish_modules(session, thread);

	complete &= add_modules(session, thread);
	note_others(session, thread);
	if (session->attached && !space->holding)
		trm_error_destroy(swap_in(session, thread, space));
	if (session->debug_calls && complete)
		session->debug_calls->modules_changed(session, thread);
	/* Time that a thread waits for plans counts once: see thread_defer. */
	if (!thread->deferred_since)
		session->instrument_ns += clock_now_ns() - start;
	return complete;
}

/* Returns whether a module's text still lies at its place: another mapping may lie
 * where the program unmapped the text itself. */
static bool is_text_at(const struct maps *maps, const struct module *module)
{
	const struct mapping *mapping = maps_find(maps, module->text_start);

	return mapping && mapping->inode == module->file->identity.inode;
}

static bool swap_back(struct session *session, struct space *space)
{
	struct borrowed_thread borrowed;

	if (!borrowed_thread_find(session, space, &borrowed))
		return false;
	bool failed = remote_failed(swap_out(session, borrowed.thread, space));

	borrowed_thread_end(session, &borrowed);
	vector_for_each (&space->modules, module)
		failed |= module->swapped;
	if (!failed)
		unpatched_list_deinit(&space->fired.unpatched);
	return !failed;
}

bool space_restore_text(struct session *session, struct space *space, pid_t pid)
{
	if (session->attached)
		return swap_back(session, space);
	if (remote_failed(maps_read(pid, &session->maps)))
		return false; /* it is gone */
	vector_for_each (&space->modules, module)
		module->there = !module->broken && is_text_at(&session->maps, module);
	originals_show(session, space);
	vector_for_each (&space->modules, module) {
		if (!module->there)
			continue;
		struct image_range back = {module->text_start, module->text_end};

		unpatched_restore(space, module,
				  module->restored ? back : (struct image_range){0});
		if (!module->restored)
			trm_error_destroy(
				pages_write(space, module, module->text_start, true));
	}
	unpatched_list_deinit(&space->fired.unpatched);
	return true;
}
