/* Counters become counts of images, and those a profile: see docs/profile.md. */
#include "session/session.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "code/cfg.h"
#include "record/output.h"
#include "record/record.h"
#include "session/residues.h"
#include "session/unmatched.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct folding {
	const struct family *family;
	const struct bank *bank;
	fold_visitor *visit;
	void *context;
	const struct family_module
		*last; /* counters come in order: mostly the same module */
};

static const struct family_module *module_of_slot(struct folding *folding, uint32_t slot)
{
	const struct family_module *module = folding->last;
	const struct family *family = folding->family;

	if (module && slot >= module->first_slot &&
	    slot - module->first_slot < module->file->plan->slot_count)
		return module;
	for (size_t i = family->modules.count; i-- > 0;) {
		module = &family->modules.items[i];
		if (slot < module->first_slot)
			continue;
		if (slot - module->first_slot >= module->file->plan->slot_count)
			return NULL; /* no counter of ours */
		folding->last = module;
		return module;
	}
	return NULL;
}

static void add_count(void *context, uint32_t slot, uint64_t count)
{
	struct folding *folding = context;
	const struct family_module *module = module_of_slot(folding, slot);

	if (module)
		folding->visit(folding->context, folding->bank, module->file,
			       slot - module->first_slot, count);
}

static int by_place(const void *a, const void *b)
{
	const struct image_count *x = a, *y = b;

	if (x->interval != y->interval)
		return x->interval < y->interval ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Sorts, and adds up what is at one place: threads, and copies of a file. */
static void merge_counts(const struct session *session, struct image_counts *counts)
{
	bool flags = session->options->collector->slot_size == 1;
	size_t kept = 0;

	if (!counts->count)
		return;
	qsort(counts->items, counts->count, sizeof(*counts->items), by_place);
	for (size_t i = 1; i < counts->count; i++) {
		struct image_count *last = &counts->items[kept];
		const struct image_count *next = &counts->items[i];

		if (by_place(last, next))
			counts->items[++kept] = *next;
		else if (flags)
			last->count |= next->count;
		else
			last->count += next->count;
	}
	counts->count = kept + 1;
}

void fold_visit(const struct process *process, bool take, fold_visitor *visit,
		void *context)
{
	struct family *family = process->space->family;
	struct folding folding = {family, NULL, visit, context, NULL};

	vector_for_each (&family->arena->banks, bank) {
		if ((*bank)->owner != process->pid)
			continue;
		folding.bank = *bank;
		if (take)
			arena_take_flags(family->arena, *bank, add_count, &folding);
		else
			arena_read_bank(family->arena, *bank, add_count, &folding);
	}
}

struct pushing {
	struct image_counts *counts;
	bool threads;
};

static void push_count(void *context, const struct bank *bank,
		       const struct module_file *file, uint32_t slot, uint64_t count)
{
	const struct pushing *pushing = context;
	uint32_t thread = pushing->threads ? bank->shared->tid : 0;

	vector_push(pushing->counts, ((struct image_count){.thread = thread,
							   .file = file->index,
							   .slot = slot,
							   .count = count}));
}

void fold_read(const struct session *session, const struct process *process, bool take,
	       struct image_counts *ret_counts)
{
	struct pushing pushing = {ret_counts, session->options->threads};

	fold_visit(process, take, push_count, &pushing);
	merge_counts(session, ret_counts);
}

void fold_thread(struct session *session, const struct thread *thread)
{
	struct process *process = thread->process;
	size_t kept = 0;

	if (!session->options->threads || !thread->bank || !process->space ||
	    !process->space->family)
		return;
	window_take(session, process);
	struct arena *arena = process->space->family->arena;
	struct image_counts *mark = &process->image->mark;

	progress_begin_clearing(session, process);
	arena_clear_bank(arena, thread->bank);
	vector_for_each (&thread->old_banks, bank)
		arena_clear_bank(arena, *bank);
	progress_end_clearing(session, process);
	/* Another thread may get its number. */
	for (size_t i = 0; i < mark->count; i++)
		if (mark->items[i].thread != (uint32_t)thread->tid)
			mark->items[kept++] = mark->items[i];
	mark->count = kept;
}

void fold_process(struct session *session, struct process *process, enum fold_banks how)
{
	if (!process->space || !process->space->family)
		return;
	window_take(session, process);
	progress_begin_clearing(session, process);
	vector_deinit(&process->image->mark);
	merge_counts(session, &process->image->counts);
	vector_for_each (&process->space->family->arena->banks, item) {
		struct bank *bank = *item;

		if (bank->owner != process->pid)
			continue;
		if (how == FOLD_AND_CLEAR) {
			arena_clear_bank(process->space->family->arena, bank);
		} else {
			bank->owner = -1;
			bank->in_use = true;
		}
	}
	progress_end_clearing(session, process);
}

/* The attributes of function profiles. */
struct names {
	record_attribute process, parent, program, image, threads, state, reason;
	record_attribute module, path, build_id, known, instrumented;
	record_attribute function, offset, calls, skip_reason;
	record_attribute block, block_size, block_instructions, count, stayed;
	record_attribute edge, edge_from, edge_to, edge_kind, flow_fault;
	record_attribute interval, interval_start, interval_end, thread;
};

struct saving {
	struct session *session;
	struct record_model *model;
	struct trm_writer *writer;
	struct names names;
	record_node *module_nodes; /* of each file; 0: not made yet */
	uint32_t interval, thread; /* whose counts are being saved */
};

static struct trm_error *make_names(struct saving *saving)
{
	struct names *n = &saving->names;
	const struct {
		const char *name;
		enum record_type type;
		uint32_t properties;
		record_attribute *id;
	} rows[] = {
		{"process", RECORD_UINT, RECORD_AS_VALUE, &n->process},
		{"process.parent", RECORD_UINT, RECORD_AS_VALUE, &n->parent},
		{"program", RECORD_STRING, RECORD_AS_VALUE, &n->program},
		{"image", RECORD_UINT, RECORD_AS_VALUE, &n->image},
		{"threads", RECORD_UINT, RECORD_AS_VALUE, &n->threads},
		{"process.state", RECORD_STRING, RECORD_AS_VALUE, &n->state},
		{"process.reason", RECORD_STRING, RECORD_AS_VALUE, &n->reason},
		{"module", RECORD_STRING, 0, &n->module},
		{"module.path", RECORD_STRING, 0, &n->path},
		{"buildid", RECORD_STRING, RECORD_AS_VALUE, &n->build_id},
		{"functions.known", RECORD_UINT, RECORD_AS_VALUE, &n->known},
		{"functions.instrumented", RECORD_UINT, RECORD_AS_VALUE,
		 &n->instrumented},
		{"function", RECORD_STRING, 0, &n->function},
		{"offset", RECORD_ADDRESS, RECORD_AS_VALUE, &n->offset},
		{"calls", RECORD_UINT, RECORD_AS_VALUE | RECORD_AGGREGATABLE, &n->calls},
		{"block", RECORD_ADDRESS, RECORD_AS_VALUE, &n->block},
		{"block.size", RECORD_UINT, RECORD_AS_VALUE, &n->block_size},
		{"block.instructions", RECORD_UINT, RECORD_AS_VALUE,
		 &n->block_instructions},
		{"count", RECORD_UINT, RECORD_AS_VALUE | RECORD_AGGREGATABLE, &n->count},
		{"thread", RECORD_UINT, RECORD_AS_VALUE, &n->thread},
		{"interval", RECORD_UINT, RECORD_AS_VALUE, &n->interval},
		{"interval.start.ns", RECORD_UINT, RECORD_AS_VALUE, &n->interval_start},
		{"interval.end.ns", RECORD_UINT, RECORD_AS_VALUE, &n->interval_end},
		{"block.stayed", RECORD_INT, RECORD_AS_VALUE | RECORD_AGGREGATABLE,
		 &n->stayed},
		{"edge", RECORD_ADDRESS, RECORD_AS_VALUE, &n->edge},
		{"edge.from", RECORD_ADDRESS, RECORD_AS_VALUE, &n->edge_from},
		{"edge.to", RECORD_ADDRESS, RECORD_AS_VALUE, &n->edge_to},
		{"edge.kind", RECORD_STRING, RECORD_AS_VALUE, &n->edge_kind},
		{"flow.fault", RECORD_ADDRESS, RECORD_AS_VALUE, &n->flow_fault},
		{"skip.reason", RECORD_STRING, RECORD_AS_VALUE, &n->skip_reason},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		TRM_TRY(record_attribute_intern(saving->model, rows[i].name, rows[i].type,
						rows[i].properties, rows[i].id));
	return NULL;
}

static struct trm_error *add_global(struct saving *saving, const char *name,
				    struct record_value value)
{
	record_attribute attribute;

	TRM_TRY(record_attribute_intern(saving->model, name, value.type,
					RECORD_AS_VALUE | RECORD_GLOBAL, &attribute));
	trm_writer_global(saving->writer, attribute, value);
	return NULL;
}

/* A word as a shell would need it. */
static void add_quoted(struct text *text, const char *word)
{
	if (*word &&
	    !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789@%_-+=:,./")]) {
		text_add(text, word);
		return;
	}
	text_add(text, "'");
	for (; *word; word++) {
		if (*word == '\'')
			text_add(text, "'\\''");
		else
			text_add_bytes(text, word, 1);
	}
	text_add(text, "'");
}

static void describe_exit(const struct session *session, char *text, size_t size)
{
	int status = session->first_status;

	if (!session->first_ended)
		snprintf(text, size, "running");
	else if (WIFEXITED(status))
		snprintf(text, size, "%d", WEXITSTATUS(status));
	else
		snprintf(text, size, "SIG%s",
			 sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status))
							: "?");
}

static uint64_t nanoseconds_between(struct timespec start, struct timespec end)
{
	return (uint64_t)((end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec -
			  start.tv_nsec);
}

static void join_patterns(struct text *text, const struct pattern *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_format(text, "%s%s", i ? "," : "", patterns[i].text);
}

static struct trm_error *save_globals(struct saving *saving)
{
	const struct session *session = saving->session;
	const struct session_options *options = session->options;
	struct text command = {0}, only = {0}, skip = {0}, unmatched = {0};
	const char *window = options->window.words ? options->window.words : "";
	char host[HOST_NAME_MAX + 1] = "", exit_text[32], start[32];
	struct tm broken;

	for (const char *const *word = options->arguments; *word; word++) {
		if (word != options->arguments)
			text_add(&command, " ");
		add_quoted(&command, *word);
	}
	gethostname(host, sizeof(host) - 1);
	describe_exit(session, exit_text, sizeof(exit_text));
	gmtime_r(&session->start_time, &broken);
	strftime(start, sizeof(start), "%Y-%m-%dT%H:%M:%SZ", &broken);
	join_patterns(&only, options->only.items, options->only.count);
	join_patterns(&skip, options->skip.items, options->skip.count);
	unmatched_describe(session, &unmatched);
	const struct {
		const char *name;
		struct record_value value;
		bool wanted;
	} rows[] = {
		{"trm.version", record_string(TRAMMEL_VERSION), true},
		{"run.command", record_string(command.data ? command.data : ""), true},
		{"run.start", record_string(start), true},
		{"host", record_string(host), true},
		{"run.wall.ns",
		 record_uint(nanoseconds_between(session->start, session->end)), true},
		{"run.instrument.ns", record_uint(session->instrument_ns), true},
		{"attach.stop.ns", record_uint(session->stop_ns), session->attached},
		{"run.measure", record_string(options->collector->name), true},
		{"run.exit", record_string(exit_text), true},
		{"run.state",
		 record_string(session->saved_running ? "running" : "complete"), true},
		{"run.window", record_string(window), *window != '\0'},
		{"window.start.ns", record_uint(session->window.start_ns),
		 *window && session->window.state != WINDOW_AWAITED},
		{"window.end.ns", record_uint(session->window.end_ns),
		 *window && session->window.state != WINDOW_AWAITED},
		{"run.only", record_string(only.data ? only.data : ""),
		 only.data != NULL},
		{"run.skip", record_string(skip.data ? skip.data : ""),
		 skip.data != NULL},
		{"run.unmatched", record_string(unmatched.data ? unmatched.data : ""),
		 unmatched.data != NULL},
	};
	struct trm_error *error = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !error; i++)
		if (rows[i].wanted)
			error = add_global(saving, rows[i].name, rows[i].value);
	text_deinit(&command);
	text_deinit(&only);
	text_deinit(&skip);
	text_deinit(&unmatched);
	return error;
}

static record_node module_node(struct saving *saving, const struct module_file *file)
{
	record_node *node = &saving->module_nodes[file->index];

	if (!*node) {
		*node = record_node_child(saving->model, 0, saving->names.module,
					  record_string(file->name));
		*node = record_node_child(saving->model, *node, saving->names.path,
					  record_string(file->path));
	}
	return *node;
}

static record_node function_node(struct saving *saving, const struct module_file *file,
				 const struct plan_function *function)
{
	record_node node;
	char unnamed[32];
	char *name;

	if (!function->name) {
		snprintf(unnamed, sizeof(unnamed), "sub_%lx", function->address);
		return record_node_child(saving->model, module_node(saving, file),
					 saving->names.function, record_string(unnamed));
	}
	name = image_demangle(file->plan->names.items + function->name);
	node = record_node_child(saving->model, module_node(saving, file),
				 saving->names.function, record_string(name));
	free(name);
	return node;
}

static void save_process(struct saving *saving, const struct image_run *image)
{
	const struct names *n = &saving->names;
	struct record_pair pairs[7] = {
		{n->process, record_uint((uint64_t)image->pid)},
		{n->image, record_uint(image->number)},
		{n->parent, record_uint((uint64_t)image->parent)},
		{n->program, record_string(image->program)},
		{n->threads, record_uint(image->threads)},
		{n->state, record_string(image->state)},
	};
	size_t count = 6;

	if (image->reason)
		pairs[count++] =
			(struct record_pair){n->reason, record_string(image->reason)};
	trm_writer_record(saving->writer, 0, pairs, count);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t instrumented(const struct plan *plan)
{
	uint64_t count = 0;

	vector_for_each (&plan->functions, function)
		count += function->reason == PLAN_INSTRUMENTED;
	return count;
}

static void save_modules(struct saving *saving, struct image_run *image)
{
	const struct names *n = &saving->names;
	uint32_t last = UINT32_MAX;

	if (image->files.count)
		qsort(image->files.items, image->files.count, sizeof(uint32_t),
		      by_number);
	vector_for_each (&image->files, index) {
		const struct module_file *file = saving->session->files.items[*index];
		const struct plan *plan = file->plan;

		if (*index == last)
			continue;
		last = *index;
		struct record_pair pairs[] = {
			{n->image, record_uint(image->number)},
			{n->known, record_uint(plan ? plan->functions.count : 0)},
			{n->instrumented, record_uint(plan ? instrumented(plan) : 0)},
			{n->build_id, record_string(file->build_id)},
			{n->skip_reason,
			 record_string(file->trouble ? file->trouble : "")},
		};

		trm_writer_record(saving->writer, module_node(saving, file), pairs,
				  file->trouble ? 5 : 4);
	}
}

/* Writes a record of the interval and the thread that are being saved, if those are told
 * apart: `pairs` has room for two more. */
static void write_counted(struct saving *saving, record_node node,
			  struct record_pair *pairs, size_t count)
{
	if (saving->session->window.intervals.count)
		pairs[count++] = (struct record_pair){saving->names.interval,
						      record_uint(saving->interval + 1)};
	if (saving->thread)
		pairs[count++] = (struct record_pair){saving->names.thread,
						      record_uint(saving->thread)};
	trm_writer_record(saving->writer, node, pairs, count);
}

static void save_calls(struct saving *saving, const struct image_run *image,
		       record_node node, uint64_t address, uint64_t calls)
{
	const struct names *n = &saving->names;
	struct record_pair pairs[5] = {
		{n->offset, record_address(address)},
		{n->image, record_uint(image->number)},
		{n->calls, record_uint(calls)},
	};

	write_counted(saving, node, pairs, 3);
}

/* What a block's count is, and how often it was entered and not left. */
struct block_count {
	uint64_t count;
	int64_t stayed;
};

static void save_block(struct saving *saving, const struct image_run *image,
		       record_node node, uint64_t address, const struct plan_block *block,
		       struct block_count count)
{
	const struct names *n = &saving->names;
	struct record_pair pairs[9] = {
		{n->offset, record_address(address)},
		{n->image, record_uint(image->number)},
		{n->block, record_address(address + block->offset)},
		{n->block_size, record_uint(block->size)},
		{n->block_instructions, record_uint(block->instructions)},
		{n->count, record_uint(count.count)},
	};

	if (count.stayed)
		pairs[6] = (struct record_pair){n->stayed, record_int(count.stayed)};
	write_counted(saving, node, pairs, count.stayed ? 7 : 6);
}

/* The counts of one module of an image, as they are saved. */
struct module_counts {
	const struct image_run *image;
	const struct module_file *file;
	const uint64_t *counters;
	struct edges_residues residues;
};

/* One of an edge that has no count says just that. */
static void save_edge(struct saving *saving, const struct module_counts *of,
		      record_node node, const struct plan_function *function,
		      const struct plan_edge *edge, uint64_t count)
{
	static const char *const kinds[] = {
		[CFG_EDGE_TAKEN] = "jump",
		[CFG_EDGE_FALL] = "next",
		[CFG_EDGE_SWITCH] = "switch",
		[CFG_EDGE_RETURN] = "leave",
	};
	const struct names *n = &saving->names;
	const struct plan_block *blocks =
		&of->file->plan->blocks.items[function->first_block];
	uint64_t from = function->address + blocks[edge->from].offset;
	struct record_pair pairs[9] = {
		{n->offset, record_address(function->address)},
		{n->image, record_uint(of->image->number)},
		{n->edge, record_address(from + blocks[edge->from].size - edge->size)},
		{n->edge_from, record_address(from)},
		{n->edge_kind, record_string(kinds[edge->kind])},
	};
	size_t pair = 5;

	if (edge->to != PLAN_EDGE_OUT)
		pairs[pair++] = (struct record_pair){
			n->edge_to,
			record_address(function->address + blocks[edge->to].offset)};
	if (!(edge->flags & PLAN_EDGE_JOINED))
		pairs[pair++] = (struct record_pair){n->count, record_uint(count)};
	write_counted(saving, node, pairs, pair);
}

/* All ways from a block that was executed, if there are several; of others those that
 * were taken. That a block with calls returned, too, is no way. */
static void save_edges(struct saving *saving, const struct module_counts *from,
		       const struct plan_function *function,
		       const struct edges_counts *counts, record_node node)
{
	const struct plan_edge *edges =
		&from->file->plan->edges.items[function->first_edge];

	for (uint32_t i = 0; i < function->edge_count; i++) {
		bool several = (i && edges[i - 1].from == edges[i].from) ||
			       (i + 1 < function->edge_count &&
				edges[i + 1].from == edges[i].from);
		bool joined =
			edges[i].flags & PLAN_EDGE_JOINED && edges[i].to != PLAN_EDGE_OUT;

		if (counts->edges[i] ||
		    (counts->blocks[edges[i].from] && (several || joined)))
			save_edge(saving, from, node, function, &edges[i],
				  counts->edges[i]);
	}
}

static void save_fault(struct saving *saving, const struct image_run *image,
		       record_node node, uint64_t address, uint64_t fault)
{
	const struct names *n = &saving->names;
	struct record_pair pairs[5] = {
		{n->offset, record_address(address)},
		{n->image, record_uint(image->number)},
		{n->flow_fault, record_address(fault)},
	};

	write_counted(saving, node, pairs, 3);
}

static bool has_counts(const struct plan *plan, const struct plan_function *function,
		       const uint64_t *counters)
{
	const struct plan_block *blocks = &plan->blocks.items[function->first_block];
	const struct plan_edge *edges = &plan->edges.items[function->first_edge];
	bool any = counters[function->slot];

	for (uint32_t i = 0; !any && i < function->block_count; i++)
		any = blocks[i].slot < plan->slot_count && counters[blocks[i].slot];
	for (uint32_t i = 0; !any && i < function->edge_count; i++)
		any = edges[i].slot < plan->slot_count && counters[edges[i].slot];
	return any;
}

/* All that follows from the counters on edges. What contradicts itself is no count. */
static void save_flow(struct saving *saving, const struct module_counts *from,
		      const struct plan_function *function)
{
	const struct plan *plan = from->file->plan;
	const struct plan_block *blocks = &plan->blocks.items[function->first_block];
	struct edges_counts counts;
	uint32_t fault = 0;
	record_node node;

	if (!has_counts(plan, function, from->counters))
		return;
	node = function_node(saving, from->file, function);
	if (!edges_solve(plan, function, from->counters, &from->residues, &counts,
			 &fault))
		save_fault(saving, from->image, node, function->address,
			   function->address + blocks[fault].offset);
	for (uint32_t i = 0; counts.blocks && i < function->block_count; i++)
		if (counts.blocks[i] || counts.stayed[i])
			save_block(
				saving, from->image, node, function->address, &blocks[i],
				(struct block_count){counts.blocks[i], counts.stayed[i]});
	if (counts.edges)
		save_edges(saving, from, function, &counts, node);
	edges_counts_deinit(&counts);
}

static void save_function(struct saving *saving, const struct module_counts *from,
			  const struct plan_function *function)
{
	const struct image_run *image = from->image;
	const struct module_file *file = from->file;
	const uint64_t *counters = from->counters;
	const struct plan *plan = file->plan;
	record_node node = 0;

	if (function->reason != PLAN_INSTRUMENTED || function->slot >= plan->slot_count)
		return;
	if (counters[function->slot]) {
		node = function_node(saving, file, function);
		save_calls(saving, image, node, function->address,
			   counters[function->slot]);
	}
	if (function->edge_count) {
		save_flow(saving, from, function);
		return;
	}
	for (uint32_t i = 0; i < function->block_count; i++) {
		const struct plan_block *block =
			&plan->blocks.items[function->first_block + i];
		struct block_count count = {plan_block_count(plan, block, counters), 0};

		if (!count.count)
			continue;
		if (!node)
			node = function_node(saving, file, function);
		save_block(saving, image, node, function->address, block, count);
	}
}

/* The counts of one module, which `count` is the first of; returns the first behind. */
static const struct image_count *save_module_counts(struct saving *saving,
						    const struct image_run *image,
						    const struct image_count *count,
						    const struct image_count *end)
{
	const struct module_file *file = saving->session->files.items[count->file];
	const struct plan *plan = file->plan;
	scoped_free uint64_t *counters =
		memory_allocate_zeroed(plan->slot_count, sizeof(*counters));

	struct module_counts from = {image, file, counters,
				     residues_of(image, file->index)};

	saving->interval = count->interval;
	saving->thread = count->thread;
	for (; count < end && count->file == file->index &&
	       count->interval == saving->interval && count->thread == saving->thread;
	     count++)
		counters[count->slot] = count->count;
	vector_for_each (&plan->functions, function)
		save_function(saving, &from, function);
	vector_deinit(&from.residues);
	return count;
}

/* They are sorted by interval, then by thread, then by module. */
static void save_counts(struct saving *saving, const struct image_run *image)
{
	const struct image_count *count = image->counts.items;
	const struct image_count *end = count + image->counts.count;

	while (count < end)
		count = save_module_counts(saving, image, count, end);
}

static void save_skips(struct saving *saving, const struct module_file *file)
{
	if (!file->plan)
		return;
	vector_for_each (&file->plan->functions, function) {
		const char *reason = plan_reason_text(function->reason);

		if (function->reason == PLAN_INSTRUMENTED ||
		    function->reason == PLAN_NOT_WANTED)
			continue;
		struct record_pair pairs[] = {
			{saving->names.offset, record_address(function->address)},
			{saving->names.skip_reason, record_string(reason)},
		};

		trm_writer_record(saving->writer, function_node(saving, file, function),
				  pairs, 2);
	}
}

static void save_image(struct saving *saving, struct image_run *image)
{
	struct process *process = session_find_process(saving->session, image->pid);

	if (image->hidden)
		return;
	if (!image->ended && process && process->image == image) {
		window_take(saving->session, process);
		merge_counts(saving->session, &image->counts);
	}
	save_process(saving, image);
	save_modules(saving, image);
	save_counts(saving, image);
}

static void save_intervals(struct saving *saving)
{
	const struct window *window = &saving->session->window;
	const struct names *n = &saving->names;

	for (size_t i = 0; i < window->intervals.count; i++) {
		const struct window_interval *interval = &window->intervals.items[i];
		struct record_pair pairs[] = {
			{n->interval, record_uint(i + 1)},
			{n->interval_start, record_uint(interval->start_ns)},
			{n->interval_end, record_uint(interval->end_ns)},
		};

		trm_writer_record(saving->writer, 0, pairs, 3);
	}
}

static struct trm_error *write_profile(struct session *session, int fd)
{
	struct saving saving = {.session = session, .model = record_model_create()};
	struct trm_error *error = make_names(&saving), *disk;

	saving.writer = trm_writer_create(fd, saving.model);
	saving.module_nodes = memory_allocate_zeroed(session->files.count,
						     sizeof(*saving.module_nodes));
	if (!error)
		error = save_globals(&saving);
	if (!error) {
		vector_for_each (&session->images, image)
			save_image(&saving, *image);
		vector_for_each (&session->files, file)
			save_skips(&saving, *file);
		save_intervals(&saving);
	}
	disk = trm_writer_finish(saving.writer);
	free(saving.module_nodes);
	record_model_destroy(saving.model);
	if (!error)
		return disk;
	trm_error_destroy(disk);
	return error;
}

struct trm_error *fold_save(struct session *session, const char *path)
{
	struct trm_output output;

	window_finish(session);
	session->saved_running = false;
	vector_for_each (&session->images, image)
		session->saved_running |= !(*image)->ended;
	TRM_TRY(trm_output_open(path, &output));
	return trm_output_close(&output, write_profile(session, output.fd));
}
