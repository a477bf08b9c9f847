#include "session/profile/profile_writer.h"

#include "base/host.h"
#include "base/array.h"
#include "base/bits.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "code/emit/path_probe.h"
#include "code/plan/plan_rows.h"
#include "code/relocate/cfg.h"
#include "context/channel_view.h"
#include "image/demangle.h"
#include "record/known.h"
#include "record/model.h"
#include "record/output.h"
#include "record/record.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "session/count/read_banks.h"
#include "session/count/window.h"
#include "session/options/collector.h"
#include "session/position/residues.h"
#include "session/profile/call_sites_save.h"
#include "session/profile/code_places.h"
#include "session/profile/contexts_save.h"
#include "session/profile/corrected.h"
#include "session/profile/groups.h"
#include "session/profile/points_missing.h"
#include "session/profile/samples_save.h"
#include "session/profile/skips_save.h"
#include "session/profile/tool_rows_save.h"
#include "session/profile/values_save.h"
#include "session/profile/unmatched.h"
#include "session/state/session.h"
#include "session/state/tables.h"
#include "session/thread/views.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct trm_error *make_names(struct profile_writer *writer)
{
	struct names *n = &writer->names;
	const struct record_attribute_row rows[] = {
		{"process", &n->process},
		{"process.parent", &n->parent},
		{"program", &n->program},
		{"image", &n->image},
		{"threads", &n->threads},
		{"process.state", &n->state},
		{"process.reason", &n->reason},
		{"module", &n->module},
		{"module.path", &n->path},
		{"buildid", &n->build_id},
		{"functions.known", &n->known},
		{"functions.instrumented", &n->instrumented},
		{"function", &n->function},
		{"offset", &n->offset},
		{"calls", &n->calls},
		{"block", &n->block},
		{"block.size", &n->block_size},
		{"block.instructions", &n->block_instructions},
		{"count", &n->count},
		{"caller.path", &n->caller_path},
		{"caller", &n->caller},
		{"caller.offset", &n->caller_offset},
		{"arc.site", &n->arc_site},
		{"arc.kind", &n->arc_kind},
		{"arc.count", &n->arc_count},
		{"graph.path", &n->graph_path},
		{"graph.offset", &n->graph_offset},
		{"graph.function", &n->graph_function},
		{"graph.calls", &n->graph_calls},
		{"graph.time.inclusive.ns", &n->graph_inclusive},
		{"graph.time.exclusive.ns", &n->graph_exclusive},
		{"thread", &n->thread},
		{"region.path", &n->region},
		{"interval", &n->interval},
		{"interval.start.ns", &n->interval_start},
		{"interval.end.ns", &n->interval_end},
		{"block.stayed", &n->stayed},
		{"edge", &n->edge},
		{"edge.from", &n->edge_from},
		{"edge.to", &n->edge_to},
		{"edge.kind", &n->edge_kind},
		{"path.in", &n->path_in},
		{"path", &n->path_number},
		{"path.total", &n->path_total},
		{"path.blocks", &n->path_blocks},
		{"path.end", &n->path_end},
		{"path.instructions", &n->path_instructions},
		{"path.count", &n->path_count},
		{"path.steps", &n->path_steps},
		{"path.reason", &n->path_reason},
		{"flow.fault", &n->flow_fault},
		{"skip.reason", &n->skip_reason},
		{"part.offset", &n->part},
		{"part.reason", &n->part_reason},
	};

	return record_attributes_intern(writer->model, rows, array_count(rows));
}

struct trm_error *profile_writer_global(struct profile_writer *writer, const char *name,
					struct record_value value)
{
	record_attribute attribute;

	TRM_TRY(record_attribute_intern(writer->model, name, value.type,
					RECORD_AS_VALUE | RECORD_GLOBAL, &attribute));
	trm_writer_global(writer->writer, attribute, value);
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

char *profile_writer_command(const char *const *words)
{
	struct text command = {0};

	for (const char *const *word = words; *word; word++) {
		if (word != words)
			text_add(&command, " ");
		add_quoted(&command, *word);
	}
	return command.data;
}

void profile_writer_describe_exit(int status, char *text, size_t size)
{
	if (WIFEXITED(status))
		snprintf(text, size, "%d", WEXITSTATUS(status));
	else
		snprintf(text, size, "SIG%s",
			 sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status))
							: "?");
}

void profile_writer_describe_end(int status, struct profile_end *ret_end)
{
	char *exit = ret_end->exit;

	profile_writer_describe_exit(status, exit, sizeof(ret_end->exit));
	snprintf(ret_end->state, sizeof(ret_end->state),
		 WIFEXITED(status) ? "exited %s" : "killed by %s", exit);
}

static void join_patterns(struct text *text, const struct pattern *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_format(text, "%s%s", i ? "," : "", patterns[i].text);
}

static struct trm_error *save_globals(struct profile_writer *writer)
{
	const struct session *session = writer->session;
	const struct session_options *options = session->options;
	scoped_free char *command = profile_writer_command(options->arguments);
	struct text only = {0}, skip = {0}, regions = {0}, unmatched = {0};
	const char *window = options->window.words ? options->window.words : "";
	char host[HOST_NAME_SIZE], exit_text[32], start[32];
	struct tm broken;

	host_name(host);
	strcpy(exit_text, "running");
	if (session->first_ended)
		profile_writer_describe_exit(session->first_status, exit_text,
					     sizeof(exit_text));
	gmtime_r(&session->start_time, &broken);
	strftime(start, sizeof(start), "%Y-%m-%dT%H:%M:%SZ", &broken);
	if (!options->collector->values_alone)
		join_patterns(&only, options->only.items, options->only.count);
	join_patterns(&skip, options->skip.items, options->skip.count);
	join_patterns(&regions, options->regions.items, options->regions.count);
	unmatched_describe(session, &unmatched);
	points_missing_describe(session, &unmatched);
	tool_rows_describe(session, &unmatched);
	const struct {
		const char *name;
		struct record_value value;
		bool wanted;
	} rows[] = {
		{"trm.version", record_string(TRAMMEL_VERSION), true},
		{"run.command", record_string(command), true},
		{"run.start", record_string(start), true},
		{"host", record_string(host), true},
		{"run.wall.ns", record_uint(session_wall_ns(session)), true},
		{"run.instrument.ns", record_uint(session->instrument_ns), true},
		{"attach.stop.ns", record_uint(session->stop_ns), session->attached},
		{"run.measure", record_string(options->collector->name), true},
		{"run.exit", record_string(exit_text), true},
		{"tool.printed", record_uint(1), session->tool_printed},
		{"run.state",
		 record_string(session->saved_running ? "running" : "complete"), true},
		{"run.window", record_string(window), *window != '\0'},
		{"window.start.ns", record_uint(session->window.start_ns),
		 *window && session->window.state != WINDOW_AWAITED},
		{"window.end.ns", record_uint(session->window.end_ns),
		 *window && session->window.state != WINDOW_AWAITED},
		{options->collector->spans_alone ? "run.regions" : "run.only",
		 record_string(only.data ? only.data : ""), only.data != NULL},
		{"run.regions", record_string(regions.data ? regions.data : ""),
		 regions.data != NULL},
		{"run.skip", record_string(skip.data ? skip.data : ""),
		 skip.data != NULL},
		{"run.unmatched", record_string(unmatched.data ? unmatched.data : ""),
		 unmatched.data != NULL},
		{"run.incomplete",
		 record_string(session->incomplete ? session->incomplete : ""),
		 session->incomplete != NULL},
	};
	struct trm_error *error = NULL;

	for (size_t i = 0; i < array_count(rows) && !error; i++)
		if (rows[i].wanted)
			error = profile_writer_global(writer, rows[i].name,
						      rows[i].value);
	text_deinit(&only);
	text_deinit(&skip);
	text_deinit(&regions);
	text_deinit(&unmatched);
	return error;
}

record_node profile_writer_module_node(struct profile_writer *writer,
				       const struct module_file *file)
{
	record_node *node = &writer->module_nodes[file->index];

	if (!*node) {
		*node = record_node_child(writer->model, 0, writer->names.module,
					  record_string(file->name));
		*node = record_node_child(writer->model, *node, writer->names.path,
					  record_string(file->path));
	}
	return *node;
}

char *profile_writer_make_name(const struct module_file *file,
			       const struct plan_function *function)
{
	char unnamed[32];

	if (function->name)
		return image_demangle(file->plan->names.items + function->name);
	snprintf(unnamed, sizeof(unnamed), "sub_%lx", function->address);
	return memory_copy_string(unnamed);
}

static struct profile_writer_function *
known_function(struct profile_writer *writer, const struct module_file *file,
	       const struct plan_function *function)
{
	bool made;
	uint64_t *number = table_insert(&writer->known, (uintptr_t)function, &made);

	if (made) {
		*number = writer->functions.count;
		vector_push(&writer->functions,
			    ((struct profile_writer_function){
				    .name = profile_writer_make_name(file, function)}));
	}
	return &writer->functions.items[*number];
}

const char *profile_writer_function_name(struct profile_writer *writer,
					 const struct module_file *file,
					 const struct plan_function *function)
{
	return known_function(writer, file, function)->name;
}

bool profile_writer_knows(const struct profile_writer *writer,
			  const struct plan_function *function)
{
	uint64_t number;

	return table_find(&writer->known, (uintptr_t)function, &number) &&
	       writer->functions.items[number].node;
}

static void forget_names(struct profile_writer *writer)
{
	vector_for_each (&writer->functions, function)
		free(function->name);
	vector_deinit(&writer->functions);
	table_deinit(&writer->known);
}

record_node profile_writer_function_node(struct profile_writer *writer,
					 const struct module_file *file,
					 const struct plan_function *function)
{
	struct profile_writer_function *known = known_function(writer, file, function);

	if (!known->node)
		known->node = record_node_child(
			writer->model, profile_writer_module_node(writer, file),
			writer->names.function, record_string(known->name));
	return known->node;
}

static void save_process(struct profile_writer *writer, const struct image_run *image)
{
	const struct names *n = &writer->names;
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
	trm_writer_record(writer->writer, 0, pairs, count);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Why a module of an image was not instrumented, or only in part; NULL: it was. */
static const char *reason_of(const struct profile_writer *writer,
			     const struct image_run *image,
			     const struct module_file *file)
{
	vector_for_each (&image->refused, index)
		if (*index == file->index)
			return writer->session->memory.reason;
	return file->left_out ? NULL : file->trouble;
}

static void save_modules(struct profile_writer *writer, struct image_run *image)
{
	const struct names *n = &writer->names;
	uint32_t last = UINT32_MAX;

	if (image->files.count)
		qsort(image->files.items, image->files.count, sizeof(uint32_t),
		      by_number);
	vector_for_each (&image->files, index) {
		const struct module_file *file = writer->session->files.items[*index];
		const struct plan *plan = file->plan;

		if (*index == last)
			continue;
		last = *index;
		const char *reason = reason_of(writer, image, file);
		struct record_pair pairs[] = {
			{n->image, record_uint(image->number)},
			{n->known,
			 record_uint(plan ? plan->functions.count - plan->part_count
					  : 0)},
			{n->instrumented, record_uint(file->instrumented)},
			{n->build_id, record_string(file->build_id)},
			{n->skip_reason, record_string(reason ? reason : "")},
		};

		trm_writer_record(writer->writer,
				  profile_writer_module_node(writer, file), pairs,
				  reason ? 5 : 4);
	}
}

record_node profile_writer_in_phase(struct profile_writer *writer, record_node node)
{
	return writer->session->options->by_region.on
		       ? record_node_child(writer->model, node, writer->names.region,
					   record_string(phase_name(writer->session,
								    writer->phase)))
		       : node;
}

void profile_writer_write(struct profile_writer *writer, record_node node,
			  struct record_pair *pairs, size_t count)
{
	if (writer->session->window.intervals.count)
		pairs[count++] = (struct record_pair){writer->names.interval,
						      record_uint(writer->interval + 1)};
	if (writer->thread)
		pairs[count++] = (struct record_pair){writer->names.thread,
						      record_uint(writer->thread)};
	trm_writer_record(writer->writer, profile_writer_in_phase(writer, node), pairs,
			  count);
}

static void save_calls(struct profile_writer *writer, const struct image_run *image,
		       record_node node, uint64_t address, uint64_t calls)
{
	const struct names *n = &writer->names;
	struct record_pair pairs[3 + PROFILE_WRITER_MORE] = {
		{n->offset, record_address(address)},
		{n->image, record_uint(image->number)},
		{n->calls,
		 record_uint(writer->session->options->collector->covers ? 1 : calls)},
	};

	profile_writer_write(writer, node, pairs, 3);
}

static void save_block(struct profile_writer *writer, const struct module_counts *of,
		       record_node node, const struct plan_function *function,
		       const struct plan_block *block, struct corrected count)
{
	const struct names *n = &writer->names;
	uint64_t whole = plan_whole_of(of->file->plan, function)->address;
	struct record_pair pairs[7 + PROFILE_WRITER_MORE];

	if (writer->session->options->collector->covers) {
		if (!count.count)
			return;
		count = (struct corrected){.count = 1};
	}
	saving_set_number(&pairs[0], n->offset, RECORD_ADDRESS, whole);
	saving_set_number(&pairs[1], n->image, RECORD_UINT, of->image->number);
	saving_set_number(&pairs[2], n->block, RECORD_ADDRESS,
			  function->address + block->offset);
	saving_set_number(&pairs[3], n->block_size, RECORD_UINT, block->size);
	saving_set_number(&pairs[4], n->block_instructions, RECORD_UINT,
			  block->instructions);
	saving_set_number(&pairs[5], n->count, RECORD_UINT, count.count);
	saving_set_number(&pairs[6], n->stayed, RECORD_INT, (uint64_t)count.stayed);
	profile_writer_write(writer, node, pairs, count.stayed ? 7 : 6);
}

bool profile_writer_is_told(const struct plan *plan, const struct plan_function *function)
{
	const struct plan_function *whole = plan_whole_of(plan, function);

	if (function->reason != PLAN_INSTRUMENTED || function->slot >= plan->slot_count)
		return false;
	return !plan_is_cold_part(function) ||
	       (whole->reason == PLAN_INSTRUMENTED && whole->block_count &&
		!whole->edge_count == !function->edge_count);
}

static void save_fault(struct profile_writer *writer, const struct image_run *image,
		       record_node node, uint64_t address, uint64_t fault)
{
	const struct names *n = &writer->names;
	struct record_pair pairs[3 + PROFILE_WRITER_MORE] = {
		{n->offset, record_address(address)},
		{n->image, record_uint(image->number)},
		{n->flow_fault, record_address(fault)},
	};

	profile_writer_write(writer, node, pairs, 3);
}

void profile_writer_numbers(struct profile_writer *writer,
			    const struct module_counts *from,
			    const struct plan_function *function,
			    const struct profile_writer_number *numbers, size_t count)
{
	const struct names *n = &writer->names;
	struct record_pair pairs[2 + PROFILE_WRITER_NUMBERS_MAX + PROFILE_WRITER_MORE] = {
		{n->offset, record_address(function->address)},
		{n->image, record_uint(from->image->number)},
	};
	size_t pair = 2;

	for (size_t i = 0; i < count && i < PROFILE_WRITER_NUMBERS_MAX; i++) {
		record_attribute attribute;
		struct trm_error *error = record_attribute_intern(
			writer->model, numbers[i].name, RECORD_UINT,
			RECORD_AS_VALUE | RECORD_AGGREGATABLE, &attribute);

		/* Another type under this name: none of ours has one. */
		if (!error && numbers[i].number)
			pairs[pair++] = (struct record_pair){
				attribute, record_uint(numbers[i].number)};
		trm_error_destroy(error);
	}
	if (pair > 2)
		profile_writer_write(
			writer,
			profile_writer_function_node(writer, from->file, function), pairs,
			pair);
}

static bool has_counts(const struct module_counts *from,
		       const struct plan_function *function)
{
	const struct plan *plan = from->file->plan;
	const struct plan_block *blocks = &plan->blocks.items[function->first_block];
	const struct plan_edge *edges = &plan->edges.items[function->first_edge];
	const uint64_t *counters = from->counters;
	bool any = !function->paths && counters[function->slot];

	for (uint32_t i = 0; !any && i < function->paths; i++)
		any = counters[function->slot + PATH_SLOTS + i];

	vector_for_each (&from->residues, residue)
		any |= residue->address - function->address < function->size;
	for (uint32_t i = 0; !any && i < function->block_count; i++)
		any = blocks[i].slot < plan->slot_count && counters[blocks[i].slot];
	for (uint32_t i = 0; !any && i < function->edge_count; i++)
		any = edges[i].slot < plan->slot_count && counters[edges[i].slot];
	return any;
}

/* All that follows from the counters on edges. What contradicts itself is no count. */
static void save_flow(struct profile_writer *writer, const struct module_counts *from,
		      const struct plan_function *function)
{
	const struct plan *plan = from->file->plan;
	const struct plan_block *blocks = &plan->blocks.items[function->first_block];
	struct edges_counts counts;
	uint32_t fault = 0;
	record_node node;

	if (!has_counts(from, function))
		return;
	node = profile_writer_function_node(writer, from->file,
					    plan_whole_of(plan, function));
	if (!edges_solve(plan, function, from->counters, &from->residues, &counts,
			 &fault))
		save_fault(writer, from->image, node,
			   plan_whole_of(plan, function)->address,
			   function->address + blocks[fault].offset);
	if (function->paths && counts.calls && plan_whole_of(plan, function) == function)
		save_calls(writer, from->image, node, function->address, counts.calls);
	for (uint32_t i = 0; counts.blocks && i < function->block_count; i++)
		if (counts.blocks[i] || counts.stayed[i])
			save_block(
				writer, from, node, function, &blocks[i],
				(struct corrected){counts.blocks[i], counts.stayed[i]});
	collector_call(writer->session, save_flow, writer, from, function, &counts);
	edges_counts_deinit(&counts);
}

static void save_function(struct profile_writer *writer, const struct module_counts *from,
			  const struct plan_function *function)
{
	const struct image_run *image = from->image;
	const struct module_file *file = from->file;
	const uint64_t *counters = from->counters;
	const struct plan *plan = file->plan;
	const struct plan_function *whole = plan_whole_of(plan, function);
	const struct edges_residues *residues =
		window_is_exact(writer->session) ? &from->residues : NULL;
	scoped_free uint64_t *flags = NULL;
	record_node node = 0;
	uint64_t calls;

	if (!profile_writer_is_told(plan, function))
		return;
	/* Where paths are counted save_flow knows the calls. */
	calls = whole == function && !function->paths
			? corrected_calls(plan, function, counters, residues)
			: 0;
	if (calls) {
		node = profile_writer_function_node(writer, file, function);
		save_calls(writer, image, node, function->address, calls);
	}
	if (function->edge_count) {
		save_flow(writer, from, function);
		return;
	}
	if (plan->slot_size == 1)
		flags = corrected_flags(plan, function, counters, &from->residues);
	for (uint32_t i = 0; i < function->block_count; i++) {
		const struct plan_block *block =
			&plan->blocks.items[function->first_block + i];
		struct corrected count =
			flags ? (struct corrected){flags[i], 0}
			      : corrected_block(plan, function, i, counters, residues);

		if (!count.count && !count.stayed)
			continue;
		if (!node)
			node = profile_writer_function_node(writer, file, whole);
		save_block(writer, from, node, function, block, count);
		if (function->block_count == 1 && !flags)
			collector_call(writer->session, save_flow, writer, from, function,
				       &(struct edges_counts){.blocks = &count.count});
	}
}

/* Those of which blocks were counted. Calls by call site have counters behind them. */
static void see_blocks(const struct profile_writer_tally *tally, uint64_t *seen)
{
	const struct plan *plan = tally->file->plan;
	const struct plan_function *function = NULL;

	for (size_t i = 0; i < tally->count_count; i++) {
		const uint32_t slot = tally->counts[i].slot;

		if (plan->gates_size && slot - plan->arc_slot < plan->arcs.count)
			continue;
		function = plan_function_of_slot(plan, function, slot);
		if (function)
			bit_set(seen, (size_t)(function - plan->functions.items));
	}
}

/* What was under way when counting began or ended may tell of functions without counts.
 */
static void see_residues(const struct module_counts *from, uint64_t *seen)
{
	const struct plan *plan = from->file->plan;

	vector_for_each (&from->residues, residue) {
		const struct plan_function *function =
			plan_function_at(plan, residue->address);

		if (function)
			bit_set(seen, (size_t)(function - plan->functions.items));
	}
}

static void save_functions(struct profile_writer *writer,
			   const struct module_counts *from,
			   const struct profile_writer_tally *tally)
{
	const struct plan *plan = from->file->plan;
	const size_t count = plan->functions.count;
	scoped_free uint64_t *seen =
		memory_allocate_zeroed(bit_words(count), sizeof(*seen));

	if (plan->gates_size)
		call_sites_save(writer, tally, seen);
	see_blocks(tally, seen);
	see_residues(from, seen);
	for (size_t i = 0; (i = bits_next(seen, i, count)) < count; i++)
		save_function(writer, from, &plan->functions.items[i]);
}

static void save_group(struct profile_writer *writer, const struct image_run *image,
		       const struct group *group)
{
	struct module_file *file = writer->session->files.items[group->key.file];
	const struct plan *plan = file->plan;
	scoped_free uint64_t *counters =
		memory_allocate_zeroed(plan->slot_count, sizeof(*counters));
	const struct profile_writer_tally tally = {image,           file,
						   counters,        group->counts,
						   group->arcs,     group->count_count,
						   group->arc_count};
	struct module_counts from = {image, file, counters, {0}};

	writer->interval = group->key.interval;
	writer->thread = group->key.thread;
	writer->phase = group->key.phase;
	for (size_t i = 0; i < group->count_count; i++)
		counters[group->counts[i].slot] = group->counts[i].count;
	for (size_t i = 0; i < group->residue_count; i++)
		vector_push(&from.residues, group->residues[i].residue);
	save_functions(writer, &from, &tally);
	if (plan->points.slots.count || plan->points.module.count)
		collector_call(writer->session, save_points, writer, &from);
	vector_deinit(&from.residues);
}

/* Flags tell all that ran: residues say only which of them were set before. */
static void save_counts(struct profile_writer *writer, struct image_run *image)
{
	const struct session_options *options = writer->session->options;
	const bool flags = collector_has_flags(options->collector);
	struct group group;

	residues_sort(image, options->threads, !flags);
	group = groups_begin(image);
	writer->entering = (struct table){0};
	while (groups_next(image, &group))
		if (group.count_count || group.arc_count || !flags)
			save_group(writer, image, &group);
	table_deinit(&writer->entering);
}

static void save_image(struct profile_writer *writer, struct image_run *image)
{
	struct process *process = session_find_process(writer->session, image->pid);

	if (image->hidden)
		return;
	if (!image->ended && process && process->image == image) {
		window_take(writer->session, process);
		banks_merge(writer->session, image);
	}
	save_process(writer, image);
	if (!writer->session->options->collector->spans_alone)
		save_modules(writer, image);
	save_counts(writer, image);
	collector_call(writer->session, save_image, writer, image);
	tool_rows_save(writer, image);
	values_save(writer, image);
}

static void save_intervals(struct profile_writer *writer)
{
	const struct window *window = &writer->session->window;
	const struct names *n = &writer->names;

	for (size_t i = 0; i < window->intervals.count; i++) {
		const struct window_interval *interval = &window->intervals.items[i];
		struct record_pair pairs[] = {
			{n->interval, record_uint(i + 1)},
			{n->interval_start, record_uint(interval->start_ns)},
			{n->interval_end, record_uint(interval->end_ns)},
		};

		trm_writer_record(writer->writer, 0, pairs, 3);
	}
}

static struct trm_error *write_profile(struct session *session, int fd)
{
	struct profile_writer writer = {.session = session,
					.model = record_model_create()};
	struct trm_error *error = make_names(&writer), *disk;

	writer.writer = trm_writer_create(fd, writer.model);
	writer.module_nodes = memory_allocate_zeroed(session->files.count,
						     sizeof(*writer.module_nodes));
	writer.code_places = code_places_create(&writer);
	collector_call(session, save_begin, &writer);
	if (!error)
		error = save_globals(&writer);
	if (!error)
		error = values_save_globals(&writer);
	if (!error) {
		vector_for_each (&session->images, image)
			save_image(&writer, *image);
		vector_for_each (&session->files, file) {
			if ((*file)->used && (*file)->plan)
				collector_call(session, save_module, &writer, *file);
			skips_save(&writer, *file);
			points_missing_save(&writer, *file);
		}
		save_intervals(&writer);
		error = contexts_save(&writer);
		if (!error)
			error = samples_save(&writer);
	}
	code_places_destroy(writer.code_places);
	disk = trm_writer_finish(writer.writer);
	free(writer.module_nodes);
	forget_names(&writer);
	record_model_destroy(writer.model);
	if (!error)
		return disk;
	trm_error_destroy(disk);
	return error;
}

struct trm_error *profile_writer_save(struct session *session, const char *path)
{
	struct trm_output output;

	window_finish(session);
	session->saved_running = false;
	vector_for_each (&session->images, image)
		session->saved_running |= !(*image)->ended;
	TRM_TRY(trm_output_open(path, &output));
	return trm_output_close(&output, write_profile(session, output.fd));
}
