#include "session/cache/file_plans.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "base/text.h"
#include "code/plan/plan_rows.h"
#include "code/planner/plan_create.h"
#include "image/gs.h"
#include "image/headers.h"
#include "image/open.h"
#include "image/walkers.h"
#include "session/cache/address_maps.h"
#include "session/cache/cache.h"
#include "session/cache/cache_file.h"
#include "session/cache/cache_key.h"
#include "session/cache/cache_names.h"
#include "session/cache/feedback_file.h"
#include "session/cache/graph_layout.h"
#include "session/cache/hook_table.h"
#include "session/cache/lazy_file.h"
#include "session/cache/loader.h"
#include "session/cache/module_text.h"
#include "session/cache/usual_addresses.h"
#include "session/options/options.h"
#include "session/options/policy.h"
#include "session/options/window_calls.h"
#include "wire/bank.h"
#include "wire/context.h"
#include "wire/control.h"
#include "wire/hooks.h"
#include "wire/layout.h"
#include "wire/paths.h"
#include "wire/spans.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes without patches that a text has at one end, at least, to be mapped without them.
 */
#define LEFT_OUT_MIN (1u << 20)

struct wanted {
	const struct session_options *options;
	const struct module_file *file;
	const struct image *image;
	bool hooked;     /* it may be the C library or the loader */
	bool events;     /* it may have functions that begin or end counting */
	uint64_t loaded; /* address of the function with WIRE_HOOK_LOADED; 0: none */
	bool pointless;  /* only points are asked for, and it has none */
};

static bool is_wanted(void *context, const char *name, uint64_t address)
{
	const struct wanted *wanted = context;

	return !wanted->file->mandatory && !wanted->pointless &&
	       options_want_function(wanted->options, wanted->file->path, wanted->image,
				     name, address);
}

static bool is_region(void *context, const char *name, uint64_t address)
{
	const struct wanted *wanted = context;

	return patterns_have_names(&wanted->options->regions, wanted->file->path,
				   wanted->image, name, address);
}

static uint8_t hook_of(void *context, const char *name, uint64_t address)
{
	const struct wanted *wanted = context;
	uint8_t number = wanted->hooked ? hook_table_find(name) : 0;

	if (hook_table_is_for_points(number) && !wanted->options->points.count)
		number = 0;
	if (!number && wanted->loaded && address == wanted->loaded)
		number = WIRE_HOOK_LOADED;
	if (!number)
		number = hook_table_find_anywhere(name);
	if (!number && wanted->events)
		number = window_hook_of(&wanted->options->window, wanted->file->path,
					wanted->image, name, address);
	return number;
}

/* Returns whether a file may have hooks: these files are always hooked, and files that
 * may contain a C library. */
static bool may_have_hooks(const char *name, bool has_interpreter)
{
	return hook_table_is_c_library(name) ||
	       (!has_interpreter && !strstr(name, ".so"));
}

static void describe_file(struct module_file *file, const struct image *image)
{
	char *hex = file->build_id;

	for (size_t i = 0; i < image->build_id_size && i < sizeof(image->build_id); i++)
		hex += sprintf(hex, "%02x", image->build_id[i]);
	file->has_interpreter = image->has_interpreter;
	file->dynamic = image->type == IMAGE_DYNAMIC;
	file->audited = image->audited;
	file->text_count = 0;
	vector_for_each (&image->segments, segment) {
		if (!segment->executable || file->text_count == MODULE_TEXTS)
			continue;
		uint64_t lead = segment->address % PAGE;
		uint64_t size = page_round_up(segment->file_size + lead);

		file->texts[file->text_count++] = (struct module_text){
			.address = segment->address - lead,
			.file_offset = segment->file_offset - lead,
			.size = size,
			.part_size = size,
		};
	}
}

/* Multiple of its text for which there must be room below a program at fixed addresses,
 * for code of functions with points. */
enum { LAZY_BELOW = 3 };

/* Returns the address of a module's trampolines, as a link-time address. */
static uint64_t code_place(const struct module_file *file, const struct image *image,
			   const struct session_options *options)
{
	uint64_t span = 0, text = 0;

	vector_for_each (&image->segments, segment) {
		uint64_t end = segment->address + segment->memory_size - image->base;

		span = end > span ? end : span;
		text += segment->executable ? segment->file_size : 0;
	}
	if (file->dynamic)
		return image->base - usual_addresses_distance(options, file->name,
							      file->variant, span, text);
	const uint64_t room = usual_addresses_room(options, span, text) * 3 / 2;

	/* Points' code is large, but that of functions that are executed is not. */
	if (file->lazy && options_points_of(options, file->path) &&
	    image->base > USUAL_ADDRESSES_LOWEST + text * LAZY_BELOW)
		return USUAL_ADDRESSES_LOWEST;
	return file->lazy ? usual_addresses_above(room)
			  : usual_addresses_fixed(image->base, room);
}

static struct trm_error *make_plan_at(struct module_file *file,
				      struct plan_request *request)
{
	const uint64_t base = request->image->base;

	for (;;) {
		TRM_TRY(plan_create(request, &file->plan));
		const uint64_t size = address_maps_code_size(file);

		if (file->dynamic || request->code_address >= base ||
		    request->code_address + size <= base)
			return NULL;
		/* It needs more room than estimated, which may be free, too. */
		plan_destroy(file->plan);
		file->plan = NULL;
		request->code_address = usual_addresses_fixed(base, size);
	}
}

static const struct plan_hook_layout hook_layout = {
	.entry = WIRE_BANK_ENTRY,
	.arc = WIRE_BANK_ARC,
	.returns = WIRE_BANK_RETURNS,
	.enter = WIRE_BANK_ENTER,
	.leave = WIRE_BANK_LEAVE,
	.tally = WIRE_BANK_TALLY,
	.span_begin = WIRE_BANK_SPAN,
	.span_end = WIRE_BANK_SPAN_END,
	.graph = CALLGRAPH_LAYOUT,
	.points = {.self = WIRE_BANK_SELF,
		   .thread = WIRE_BANK_TID,
		   .untimed = WIRE_BANK_UNTIMED,
		   .control = WIRE_BANK_CONTROL,
		   .dead = FUTEX_OWNER_DIED,
		   .data = WIRE_CONTROL_POINT_DATA,
		   .call = WIRE_BANK_TOOL,
		   .masked = WIRE_SPANS_MASKED,
		   .routines = WIRE_SPANS_ROUTINES,
		   .unmask = WIRE_BANK_TOOL_UNMASK,
		   .buffers = WIRE_SPANS_BUFFERS,
		   .copies = WIRE_SPANS_COPIES,
		   .replace = WIRE_SPANS_REPLACE,
		   .result = WIRE_SPANS_RESULT,
		   .done = WIRE_SPANS_DONE,
		   .context = offsetof(struct wire_bank, context),
		   .context_thread = offsetof(struct context_thread, number),
		   .context_node = offsetof(struct context_thread, node),
		   .context_number = offsetof(struct context_node, number)},
	.path = {WIRE_PATHS_PUT_BY, WIRE_PATHS_FIND}};

static struct trm_error *make_plan(struct module_file *file, struct image *image,
				   const struct session_options *options,
				   uint64_t code_address)
{
	struct wanted wanted = {
		options,
		file,
		image,
		may_have_hooks(file->name, image->has_interpreter),
		!file->bare && window_concerns(&options->window, file->path),
		text_glob("ld-*", file->name) ? loader_done_address(image) : 0,
		options->collector->depth == PLAN_POINTS &&
			!options_points_of(options, file->path)};
	const bool spans = options->collector->spans,
		   c_library = hook_table_is_c_library(file->name);
	bool narrowed = !options_take_all(options) || options->skip.count ||
			file->mandatory || wanted.pointless;
	struct plan_request request = {
		.image = image,
		.probe = options->collector->probe,
		.depth = options->collector->depth,
		.calls = options->collector->calls,
		.graph = options->collector->graph,
		.spans = spans,
		.exits = options->collector->exits,
		.paths = options->collector->paths,
		.code_address = code_address,
		.wanted = narrowed ? is_wanted : NULL,
		.is_span = spans && !options->collector->spans_alone ? is_region : NULL,
		.context = &wanted,
		.hook_of = hook_of,
		.copy_calls = file->copies_calls,
		.in_parts = options_have_parts(options),
		.frequencies = file->feedback ? &file->feedback->frequencies : NULL,
		.hook_own = WIRE_HOOK_OWN,
		.hook_stack = WIRE_HOOK_STACK,
		/* The loader's are entered by jumps, with more on the stack. */
		.hook_beyond = text_glob("ld-*", file->name) ? 0 : WIRE_HOOK_BEYOND,
		.hook_gs = c_library ? 0 : WIRE_HOOK_GS,
		.hook_gs_code = c_library ? 0 : WIRE_HOOK_GS_CODE,
		.hook_gs_call = c_library ? 0 : WIRE_HOOK_GS_CALL,
		.hook_layout = hook_layout,
		.live = options->live,
		.points = options_points_of(options, file->path),
		.module = file->path,
	};

	request.hook_layout.points.views = options->by_region.on;
	if (!code_address)
		request.code_address = code_place(file, image, options);
	if (image->text_relocations)
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"its text is written to by the loader (DT_TEXTREL)");
	/* Who demands an address has it. */
	if (!file->lazy)
		return code_address ? plan_create(&request, &file->plan)
				    : make_plan_at(file, &request);
	request.hook_lazy = WIRE_HOOK_LAZY;
	request.context = file->lazy->context = memory_allocate(sizeof(wanted));
	memcpy(request.context, &wanted, sizeof(wanted));
	return lazy_create(&request, &file->plan, &file->lazy->plan);
}

/* Returns the first and the last address that a plan changes. */
static struct image_range changed_range(const struct plan *plan)
{
	struct image_range range = {UINT64_MAX, 0};

	if (plan->patches.count) {
		const struct plan_patch *patches = plan->patches.items;
		const struct plan_patch *last = &patches[plan->patches.count - 1];

		range = (struct image_range){patches->address,
					     last->address + last->size};
	}
	if (plan->calls.count) {
		const struct plan_call *calls = plan->calls.items;
		uint64_t end = calls[plan->calls.count - 1].address +
			       sizeof(calls->displacement);

		range.start = calls->address < range.start ? calls->address : range.start;
		range.end = end > range.end ? end : range.end;
	}
	/* It may change any of them later. */
	for (size_t i = 0; plan->latches_size && i < plan->functions.count; i++) {
		const struct plan_function *row = &plan->functions.items[i];
		uint64_t end = row->address + row->size;

		range.start = row->address < range.start ? row->address : range.start;
		range.end = end > range.end ? end : range.end;
	}
	return range;
}

/*
 * Leaves out the bytes at both ends of a text that no patch changes, if they are many:
 * they need not be composed, kept and mapped. If they are few, the text is best left in
 * one mapping. Two texts may be one mapping already, so these are taken whole.
 */
static void choose_part(struct module_file *file)
{
	struct image_range changed = changed_range(file->plan);
	struct module_text *text = &file->texts[0];
	uint64_t start, end;

	if (file->text_count != 1 || changed.start >= changed.end ||
	    changed.start < text->address || changed.end > text->address + text->size)
		return;
	start = page_start(changed.start - text->address);
	end = page_round_up(changed.end - text->address);
	if (start < LEFT_OUT_MIN)
		start = 0;
	if (text->size - end < LEFT_OUT_MIN)
		end = text->size;
	text->part_offset = start;
	text->part_size = end - start;
}

static void add_own_page(struct module_own_words *words, uint32_t page)
{
	for (uint32_t i = 0; i < words->page_count; i++)
		if (words->pages[i] == page)
			return;
	words->run_count +=
		!words->page_count || words->pages[words->page_count - 1] + 1 != page;
	if (words->page_count < MODULE_OWN_PAGES && words->run_count <= MODULE_OWN_RUNS)
		words->pages[words->page_count++] = page;
	else
		words->many = true;
}

static void add_own_word(struct module_own_words *words, uint32_t offset)
{
	if (words->count < MODULE_OWN_WORDS)
		words->offsets[words->count++] = offset;
	else
		words->many = true;
	add_own_page(words, offset / PAGE);
	add_own_page(words, (offset + 7) / PAGE);
}

/* Fills in facts that follow from a plan, so that not all of it need be read for them. */
static void describe_plan(struct module_file *file)
{
	const struct plan *plan = file->plan;

	vector_for_each (&plan->functions, function) {
		file->instrumented += function->reason == PLAN_INSTRUMENTED &&
				      !plan_is_cold_part(function);
		file->tells_loaded |= function->hook == WIRE_HOOK_LOADED;
		file->leak_checked |=
			function->hook == WIRE_HOOK_EXIT &&
			!strncmp(plan->names.items + function->name, "__lsan", 6);
	}
	vector_for_each (&plan->fixups, fixup) {
		if (fixup->kind == PLAN_FIXUP_SLOT || !file->dynamic)
			continue;
		add_own_word(&file->own_words, fixup->offset);
	}
	if (!file->lazy)
		address_maps_make(file);
}

static void note_walking(struct module_file *file)
{
	file->walks_stacks = file->copies_calls && file->bytes &&
			     image_walks_stacks(file->bytes, file->identity.size, false);
}

/* Plans a file, with trampolines at `code_address`; 0: the usual place. */
static struct trm_error *plan_file(struct module_file *file,
				   const struct session_options *options,
				   uint64_t code_address)
{
	struct image *image;

	note_walking(file);
	TRM_TRY(image_open_mapped(file->bytes, file->identity.size, file->path, &image));
	describe_file(file, image);
	struct trm_error *error = make_plan(file, image, options, code_address);

	if (!error) {
		choose_part(file);
		describe_plan(file);
	}
	if (file->lazy)
		file->lazy->image = image;
	else
		image_close(image);
	return error;
}

static bool map_original(struct module_file *file, int fd)
{
	if (!file->identity.size)
		return false;
	void *bytes = mmap(NULL, file->identity.size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return false;
	file->bytes = bytes;
	return true;
}

static uint64_t parts_size(const struct module_file *file)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < file->text_count; i++)
		size += file->texts[i].part_size;
	return size;
}

/* Makes the patched parts of all texts in memory, one behind the other. */
static bool patch_texts(struct module_file *file)
{
	uint8_t *bytes = mmap(NULL, parts_size(file) + PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		return false;
	for (uint32_t i = 0; i < file->text_count; i++) {
		const struct module_text *text = &file->texts[i];

		file->patched[i] = bytes;
		module_text_compose(file, text, text->part_offset, text->part_size,
				    bytes);
		bytes += text->part_size;
	}
	vector_deinit(&file->plan->calls);
	return true;
}

static void drop_patched(struct module_file *file)
{
	if (file->patched[0])
		munmap(file->patched[0], parts_size(file) + PAGE);
	file->patched[0] = NULL;
}

/* Puts a new plan into the cache and takes it from there: its text can be mapped then,
 * and its arrays cost no memory. `plans`: see feedback_generation. */
static bool keep_plan(struct cache_names *names, struct cache_key key,
		      struct module_file *file, uint32_t reserved, uint32_t plans)
{
	struct plan *made = file->plan;
	struct module_file before = *file;
	const struct cache_name name = {
		.size = (uint64_t)made->slot_count * made->slot_size,
		.edition =
			file->feedback ? feedback_generation(file->feedback, plans) : 0};
	uint32_t start;

	if (!names)
		return false;
	scoped_free char *path = cache_names_choose(names, key, name, &start);

	plan_move_counters(made, WIRE_BANK_HEADER + reserved + start);
	if (!cache_file_save(path, file) || !cache_file_load_saved(path, file))
		return false;
	vector_deinit(&before.address_maps);
	plan_destroy(made);
	return true;
}

static bool load_plan(struct cache_names *names, struct cache_key key,
		      struct module_file *file)
{
	scoped_free char *path = names ? cache_names_find(names, key) : NULL;

	if (!path)
		return false;
	if (cache_file_load(path, file))
		return true;
	cache_names_drop(names, key);
	return false;
}

static void drop_plan(struct module_file *file)
{
	if (file->cached_bytes && !file->lazy) {
		munmap(file->cached_bytes, file->cached_size);
		free(file->plan);
	} else {
		if (file->lazy)
			lazy_file_destroy(file);
		vector_deinit(&file->address_maps);
		drop_patched(file);
		plan_destroy(file->plan);
	}
	free(file->cached_path);
}

/* Makes a file that plans functions when they are called. Returns false, and changes
 * nothing, if it cannot be mapped, or is better planned as a whole. */
static bool make_lazily(struct cache *cache, struct cache_key key,
			struct module_file *file, const struct session_options *options)
{
	const uint32_t reserved =
		WIRE_BANK_HEADER + (uint32_t)cache_counters_reserved(options);
	const struct module_file before = *file;
	bool good;

	file->lazy = memory_allocate_zeroed(1, sizeof(*file->lazy));
	struct trm_error *error = plan_file(file, options, 0);

	good = !error && file->plan->latches.count && lazy_file_can_be(file);
	trm_error_destroy(error);
	if (good) {
		lazy_file_make_room(file);
		plan_move_counters(
			file->plan,
			reserved + cache_names_reserve(
					   cache_names(cache), key.kind,
					   plan_slots(file->plan) *
						   (uint64_t)file->plan->slot_size));
		good = lazy_file_save(file);
	}
	if (good)
		return true;
	drop_plan(file);
	*file = before;
	return false;
}

static void make_file_plan(struct cache *cache, struct cache_key key,
			   struct module_file *file,
			   const struct session_options *options)
{
	uint32_t reserved = (uint32_t)cache_counters_reserved(options);
	struct feedback feedback = {0};

	if (cache_folder(cache) && feedback_is_used(options))
		feedback_load(cache_folder(cache), cache_frequencies_key(file),
			      &feedback);
	file->feedback = &feedback;
	struct trm_error *error = plan_file(file, options, 0);

	/* What points' code is depends on more than the key says. */
	if (!error &&
	    (options_points_of(options, file->path) ||
	     !keep_plan(cache_names(cache), key, file, reserved, 1)) &&
	    !patch_texts(file))
		error = trm_error_create(TRM_ERROR_SYSTEM, "no memory for its text");
	if (error) {
		file->trouble = memory_copy_string(error->message);
		trm_error_destroy(error);
	}
	file->feedback = NULL;
	feedback_deinit(&feedback);
}

static void load_or_make(struct cache *cache, struct module_file *file, bool lazy,
			 const struct session_options *options)
{
	struct cache_key key = cache_key(file, options);

	lazy &= cache_names(cache) && lazy_file_suits(file, options);
	if (lazy && policy_of_lazy_plans() == POLICY_ALWAYS &&
	    make_lazily(cache, key, file, options))
		return;
	if ((!options_points_of(options, file->path) &&
	     load_plan(cache_names(cache), key, file)) ||
	    (lazy && make_lazily(cache, key, file, options)))
		return;
	make_file_plan(cache, key, file, options);
}

static struct module_file *new_file(int fd, const struct stat *status,
				    const struct module_use *use,
				    const struct session_options *options)
{
	const char *path = use->path;
	struct module_file *file = memory_allocate_zeroed(1, sizeof(*file));
	const char *slash = strrchr(path, '/');

	file->identity = file_identity_of(status);
	file->path = memory_copy_string(path);
	file->name = memory_copy_string(slash ? slash + 1 : path);
	file->bare = use->bare;
	file->mandatory = use->bare || !options_want_module(options, file->path);
	if (!map_original(file, fd))
		file->trouble = memory_copy_string("the file cannot be mapped");
	else
		image_find_unwind(file->bytes, file->identity.size, &file->unwind);
	file->copies_calls = use->copies_calls;
	file->variant = use->variant;
	return file;
}

struct module_file *module_file_open_at(int fd, const struct stat *status,
					const struct module_use *use,
					const struct session_options *options,
					uint64_t code_address)
{
	struct module_file *file = new_file(fd, status, use, options);
	struct trm_error *error = NULL;

	if (!file->trouble)
		error = plan_file(file, options, code_address);
	if (!error && file->plan && !patch_texts(file))
		error = trm_error_create(TRM_ERROR_SYSTEM, "no memory for its text");
	if (error)
		file->trouble = memory_copy_string(error->message);
	trm_error_destroy(error);
	return file;
}

/* Returns whether a file is left out. Code that looks at return addresses must be
 * hooked where calls are relocated, and the library that asks for views. */
static bool is_left_out(const struct module_file *file,
			const struct session_options *options)
{
	const bool asks = options->by_region.on && options->context.library &&
			  !strcmp(options->context.library, file->path);

	return file->mandatory && !file->copies_calls && !asks &&
	       (file->bare || !window_concerns(&options->window, file->path)) &&
	       !may_have_hooks(file->name, strstr(file->name, ".so") != NULL);
}

static void leave_out(struct module_file *file)
{
	if (file->trouble)
		return;
	note_walking(file);
	file->trouble = memory_copy_string("left out by --only or --skip");
	file->left_out = true;
}

struct module_file *module_file_open(struct cache *cache, int fd,
				     const struct stat *status,
				     const struct module_use *use,
				     const struct session_options *options)
{
	struct module_file *file = new_file(fd, status, use, options);

	if (file->trouble)
		return file;
	if (!is_left_out(file, options)) {
		load_or_make(cache, file, use->lazy, options);
		return file;
	}
	/* Functions it calls may run with its GS base, whether it is measured itself
	 * or not. */
	if (image_may_set_gs(file->bytes, file->identity.size)) {
		load_or_make(cache, file, false, options);
		if (file->plan && file->plan->uses_gs)
			return file;
		module_file_destroy(file);
		file = new_file(fd, status, use, options);
	}
	leave_out(file);
	return file;
}

void module_file_replan(struct cache *cache, const struct module_file *file,
			const struct session_options *options,
			const struct feedback *feedback)
{
	struct cache_key key = cache_key(file, options);
	struct module_file again = {
		.identity = file->identity,
		.path = file->path,
		.name = file->name,
		.bare = file->bare,
		.mandatory = file->mandatory,
		.copies_calls = file->copies_calls,
		.variant = file->variant,
		.bytes = file->bytes,
		.feedback = feedback,
	};
	const uint32_t before = feedback_plans(cache_names_generation(file->cached_path));
	struct trm_error *error = plan_file(&again, options, 0);

	if (!error && keep_plan(cache_names(cache), key, &again,
				(uint32_t)cache_counters_reserved(options), before + 1))
		cache_names_drop_others(cache_names(cache), key, again.cached_path,
					file->cached_path);
	trm_error_destroy(error);
	drop_plan(&again);
}

void module_file_destroy(struct module_file *file)
{
	if (!file)
		return;
	drop_plan(file);
	if (file->bytes)
		munmap((void *)(uintptr_t)file->bytes, file->identity.size);
	free(file->trouble);
	free(file->name);
	free(file->path);
	free(file);
}
