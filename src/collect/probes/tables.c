#include "collect/probes/tables.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "code/plan/plan_rows.h"
#include "collect/probes/source.h"
#include "collect/probes/source_lines.h"
#include "image/demangle.h"
#include "probe/cells.h"
#include "resident/resident.h"
#include "session/options/options.h"
#include "session/position/view.h"
#include "session/state/module.h"
#include "session/state/region_path.h"
#include "session/state/space.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/probes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum { CALIBRATION_NS = 5000000 };

static struct wire_probes *area_of(const struct session *session, const struct bank *bank)
{
	return (struct wire_probes *)(void *)((char *)bank->shared +
					      probes_source_area(session->options));
}

/* ns a tick, times 1 << WIRE_PROBE_SCALE: measured over at least CALIBRATION_NS. */
static uint64_t find_scale(const struct session *session)
{
	static uint64_t scale;
	uint64_t ns = clock_now_ns() - session->clock_ns, ticks;

	if (scale)
		return scale;
	if (ns < CALIBRATION_NS)
		nanosleep(&(struct timespec){.tv_nsec = (long)(CALIBRATION_NS - ns)},
			  NULL);
	ticks = __rdtsc() - session->clock_ticks;
	ns = clock_now_ns() - session->clock_ns;
	scale = ticks ? (uint64_t)((double)ns / (double)ticks * (1 << WIRE_PROBE_SCALE) +
				   0.5)
		      : 0;
	return scale;
}

/* Copies what is there of a part of a file to another part: the rest are holes, which
 * need not become memory. */
static void copy_data(int fd, struct wire_probe_call *to,
		      const struct wire_probe_call *from, uint64_t count, uint64_t offset)
{
	const uint64_t end = offset + sizeof(struct wire_probe_call) * count;
	off_t data = lseek(fd, (off_t)offset, SEEK_DATA), hole;

	while (data >= 0 && (uint64_t)data < end) {
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			return;
		uint64_t at = (uint64_t)data - offset;
		uint64_t size =
			((uint64_t)hole < end ? (uint64_t)hole : end) - (uint64_t)data;

		memcpy((char *)to + at, (const char *)from + at, size);
		data = lseek(fd, hole, SEEK_DATA);
	}
}

/* What is kept of calls and loops under way. `offset`: of the old bank in the file. */
static void copy_rows(const struct session *session, int fd, struct wire_probes *to,
		      const struct wire_probes *from, uint64_t offset)
{
	offset += probes_source_area(session->options);
	copy_data(fd, to->calls, from->calls, WIRE_PROBE_CALLS,
		  offset + offsetof(struct wire_probes, calls));
	copy_data(fd, to->loops, from->loops, WIRE_PROBE_LOOPS,
		  offset + offsetof(struct wire_probes, loops));
}

/* Tells the code of points where the routine is, once a family. */
static void set_routine(const struct session *session)
{
	vector_for_each (&session->families, family) {
		struct arena *arena = (*family)->arena;

		arena->control->routines[PROBES_ROUTINE] =
			arena->address + resident_table()->probe;
	}
}

void probes_begin_bank(const struct session *session, const struct bank *old,
		       struct bank *bank, const struct thread_calls *calls)
{
	struct wire_probes *probes = area_of(session, bank);
	struct wire_probes *before;

	(void)calls;
	set_routine(session);
	probes->scale = find_scale(session);
	probes->begin = session->clock_ticks;
	if (!old)
		return;
	before = area_of(session, old);
	memcpy(probes->variables, before->variables, sizeof(probes->variables));
	vector_for_each (&session->families, family) {
		struct arena *arena = (*family)->arena;

		vector_for_each (&arena->banks, item)
			if (*item == old)
				copy_rows(session, arena->fd, probes, before,
					  old->file_offset);
	}
}

static void drop_copies(struct image_probes *probes)
{
	vector_for_each (&probes->copies, copy) {
		free(copy->entries);
		free(copy->rows);
		free(copy->texts);
		free(copy->records);
		free(copy->losses);
	}
	probes->copies.count = 0;
}

static void *copy_part(const void *items, size_t size)
{
	void *copy = memory_allocate(size + 1);

	memcpy(copy, items, size);
	return copy;
}

/* Entries first: the rows and texts of those that exist by now exist, too. */
static struct image_probes_copy copy_bank(struct wire_probes *shared,
					  const struct bank *bank, bool threads)
{
	struct image_probes_copy copy = {.thread = threads ? bank->shared->tid : 0,
					 .tid = bank->shared->tid,
					 .bank = bank};
	uint64_t taken = shared->records_taken;

	copy.entry_count = __atomic_load_n(&shared->entries_used, __ATOMIC_ACQUIRE);
	copy.record_count = __atomic_load_n(&shared->records_used, __ATOMIC_ACQUIRE);
	if (copy.entry_count > WIRE_PROBE_ENTRIES)
		copy.entry_count = WIRE_PROBE_ENTRIES;
	if (copy.record_count > WIRE_PROBE_RECORDS)
		copy.record_count = WIRE_PROBE_RECORDS;
	if (taken > copy.record_count)
		taken = copy.record_count;
	copy.row_count =
		shared->rows_used < WIRE_PROBE_ROWS ? shared->rows_used : WIRE_PROBE_ROWS;
	copy.text_size = shared->texts_used < WIRE_PROBE_TEXTS ? shared->texts_used
							       : WIRE_PROBE_TEXTS;
	copy.entries =
		copy_part(shared->entries, copy.entry_count * sizeof(*shared->entries));
	copy.rows = copy_part(shared->rows, copy.row_count * sizeof(*shared->rows));
	copy.texts = copy_part(shared->texts, copy.text_size);
	((char *)copy.texts)[copy.text_size] = '\0';
	copy.record_count -= taken;
	copy.records = copy_part(shared->records + taken,
				 copy.record_count * sizeof(*shared->records));
	copy.losses =
		copy_part(shared->lost, sizeof(shared->lost) + sizeof(shared->errors) +
						sizeof(shared->extremes));
	shared->records_taken = taken + copy.record_count;
	return copy;
}

void probes_copy(const struct session *session, struct process *process)
{
	struct image_probes *probes = &process->image->probes;
	bool threads = session->options->threads;

	drop_copies(probes);
	vector_for_each (&process->space->family->arena->banks, item) {
		const struct bank *bank = *item;

		if (bank->owner == process->pid)
			vector_push(&probes->copies,
				    copy_bank(area_of(session, bank), bank, threads));
	}
}

/* The action with a number. */
static const struct probe_action *action_of(const struct session *session,
					    uint32_t number)
{
	const struct probe_program *program = probes_source_program(session->options);

	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->actions, action)
			if (action->number == number)
				return action;
	return NULL;
}

/* "main", "main+0x1f", "libx.so+0x123", or the number. */
static void add_address(struct text *text, const struct space *space, uint64_t address)
{
	const struct module *module = space_module_of_text(space, address);
	const struct plan *plan = module ? module->file->plan : NULL;
	uint64_t offset = module ? address - module->bias : 0;
	const struct plan_function *function =
		plan ? plan_function_at(plan, offset) : NULL;

	if (function && offset - function->address < function->size && function->name) {
		scoped_free char *name =
			image_demangle(plan->names.items + function->name);

		text_add(text, name);
		if (offset != function->address)
			text_format(text, "+0x%" PRIx64, offset - function->address);
	} else if (module) {
		text_format(text, "%s+0x%" PRIx64, module->file->name, offset);
	} else {
		text_format(text, "0x%" PRIx64, address);
	}
}

/* A process whose tables are taken. */
struct taking {
	const struct session *session;
	const struct process *process;
	struct region_source *regions;
	struct source_lines *lines;
};

/* A value as it is kept: a number, or the number of a text of the image. */
static uint64_t take_value(const struct taking *taking,
			   const struct image_probes_copy *copy, uint32_t term,
			   uint64_t word, bool *ret_text)
{
	const struct probe_program *program =
		probes_source_program(taking->session->options);
	const struct process *process = taking->process;
	struct image_probes *probes = &process->image->probes;
	enum probe_term_kind kind = program->terms.items[term].kind;
	const char *texts = copy->texts;
	struct text text = {0};

	*ret_text = true;
	if (kind == PROBE_STRING || kind == PROBE_REGION) {
		const char *string =
			word && word <= copy->text_size ? texts + word - 1 : "";

		if (kind == PROBE_REGION) {
			text_add(&text, "");
			region_path_add(taking->regions, string, &text);
			string = text.data;
		}
		word = string_table_intern(&probes->texts, string);
		text_deinit(&text);
		return word;
	}
	if (kind != PROBE_CALLER && kind != PROBE_FUNCTION && kind != PROBE_PC &&
	    kind != PROBE_SOURCE_LINE) {
		*ret_text = false;
		return word;
	}
	const struct module *module = kind == PROBE_SOURCE_LINE
					      ? space_module_of_text(process->space, word)
					      : NULL;

	if (module)
		source_lines_add(taking->lines, module, word, &text);
	else
		add_address(&text, process->space, word);
	word = string_table_intern(&probes->texts, text.data);
	text_deinit(&text);
	return word;
}

static bool is_phase(const struct taking *taking, uint32_t term)
{
	return probes_source_program(taking->session->options)->terms.items[term].kind ==
	       PROBE_PHASE;
}

/* The sum with these keys, made if it is new. */
static uint32_t find_sum(struct image_probes *probes, const struct image_probe_sum *like)
{
	struct {
		uint32_t thread, action, row, texts, phase, pad;
		uint64_t keys[IMAGE_PROBE_KEYS];
	} key = {.thread = like->thread,
		 .action = like->action,
		 .row = like->row,
		 .texts = like->texts,
		 .phase = like->phase};
	bool made;
	uint64_t *number;

	memcpy(key.keys, like->keys, sizeof(key.keys));
	number = table_insert(&probes->by_key, hash_bytes(&key, sizeof(key)), &made);
	if (made) {
		*number = probes->sums.count;
		vector_push(&probes->sums, *like);
	}
	return (uint32_t)*number;
}

/* What the tables have now, by sum. */
struct now {
	struct VECTOR(struct image_probe_total) totals;
};

static struct image_probe_total *total_of(struct now *now, uint32_t sum)
{
	while (now->totals.count <= sum)
		vector_add(&now->totals);
	return &now->totals.items[sum];
}

static void add_rows(struct image_probes *probes, const struct image_probes_copy *copy,
		     const struct wire_probe_entry *entry,
		     const struct probe_action *action, struct image_probe_sum *sum,
		     struct now *now)
{
	const uint64_t *rows = copy->rows;
	uint32_t count = probe_action_rows(action);

	if (!entry->rows || entry->rows - 1 + (uint64_t)count > copy->row_count)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (!rows[entry->rows - 1 + i])
			continue;
		sum->row = i;
		total_of(now, find_sum(probes, sum))->hits += rows[entry->rows - 1 + i];
	}
}

static void add_entry(const struct taking *taking, const struct image_probes_copy *copy,
		      const struct wire_probe_entry *entry, struct now *now)
{
	const struct probe_action *action = action_of(taking->session, entry->action);
	struct image_probes *probes = &taking->process->image->probes;
	struct image_probe_sum sum = {
		.thread = copy->thread, .action = entry->action, .row = IMAGE_PROBE_ALL};
	struct image_probe_total *total;

	if (!action)
		return;
	for (uint32_t i = 0; i < action->key_count; i++) {
		bool text;

		if (is_phase(taking, action->keys[i])) {
			sum.phase = bank_phase_at(copy->bank, entry->keys[i]);
			continue;
		}
		sum.keys[i] =
			take_value(taking, copy, action->keys[i], entry->keys[i], &text);
		sum.texts |= (uint32_t)text << i;
	}
	total = total_of(now, find_sum(probes, &sum));
	total->hits += entry->hits;
	if (action->kind != PROBE_MIN && action->kind != PROBE_MAX)
		total->value += entry->value;
	else if (entry->value > total->value)
		total->value = entry->value;
	add_rows(probes, copy, entry, action, &sum, now);
}

static void add_record(const struct taking *taking, const struct image_probes_copy *copy,
		       const struct wire_probe_record *record, uint32_t interval)
{
	const struct session *session = taking->session;
	const struct probe_action *action = action_of(session, record->action);
	struct image_probes *probes = &taking->process->image->probes;
	struct image_probe_record taken = {
		.interval = interval, .thread = copy->tid, .action = record->action};
	uint64_t ticks = record->words[WIRE_PROBE_WORDS - 1];

	if (!action)
		return;
	taken.ns = ticks > session->clock_ticks
			   ? (ticks - session->clock_ticks) * find_scale(session) >>
				     WIRE_PROBE_SCALE
			   : 0;
	for (uint32_t i = 0; i < action->operand_count; i++) {
		bool text;

		if (is_phase(taking, action->operands[i])) {
			taken.phase = bank_phase_at(copy->bank, record->words[i]);
			continue;
		}
		taken.values[i] = take_value(taking, copy, action->operands[i],
					     record->words[i], &text);
		taken.texts |= (uint32_t)text << i;
	}
	vector_push(&probes->records, taken);
}

/* What found no room, or could not be read, is a sum of its own. */
static void add_losses(struct image_probes *probes, const struct image_probes_copy *copy,
		       uint32_t actions, struct now *now)
{
	const uint64_t *losses = copy->losses;

	for (uint32_t i = 0; i < actions && i < WIRE_PROBE_ACTIONS; i++) {
		struct image_probe_sum sum = {
			.thread = copy->thread, .action = i, .row = IMAGE_PROBE_LOSSES};
		struct image_probe_total *total;

		if (!losses[i] && !losses[WIRE_PROBE_ACTIONS + i])
			continue;
		total = total_of(now, find_sum(probes, &sum));
		total->hits += losses[i];
		total->value += losses[WIRE_PROBE_ACTIONS + i];
	}
}

/* The least and largest values of actions without keys. */
static void add_extremes(const struct session *session, struct image_probes *probes,
			 const struct image_probes_copy *copy, struct now *now)
{
	const uint64_t *extremes =
		(const uint64_t *)copy->losses + (size_t)2 * WIRE_PROBE_ACTIONS;
	const struct probe_program *program = probes_source_program(session->options);

	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->actions, action) {
			struct image_probe_sum sum = {.thread = copy->thread,
						      .action = action->number,
						      .row = IMAGE_PROBE_EXTREME};
			struct image_probe_total *total;

			if (!probe_action_is_extreme(action) ||
			    !extremes[action->extreme])
				continue;
			total = total_of(now, find_sum(probes, &sum));
			if (extremes[action->extreme] > total->value)
				total->value = extremes[action->extreme];
		}
}

/* The increase of a sum; a least or largest value is the one so far. */
static void take_more(const struct session *session, struct image_probes *probes,
		      uint32_t number, const struct image_probe_total *now, bool counts,
		      uint32_t interval)
{
	struct image_probe_sum *sum = &probes->sums.items[number];
	const struct probe_action *action = action_of(session, sum->action);
	bool extreme = action && sum->row >= IMAGE_PROBE_EXTREME &&
		       sum->row != IMAGE_PROBE_LOSSES &&
		       (action->kind == PROBE_MIN || action->kind == PROBE_MAX);
	struct image_probe_count count = {
		.interval = interval,
		.sum = number,
		.total = {now->hits - sum->mark.hits,
			  extreme ? now->value : now->value - sum->mark.value},
	};

	bool news = count.total.hits ||
		    (extreme ? now->value > sum->mark.value : count.total.value != 0);

	sum->mark = *now;
	if (counts && news)
		vector_push(&probes->counts, count);
}

void probes_take(const struct session *session, struct process *process, bool counts,
		 uint32_t interval)
{
	struct image_probes *probes = &process->image->probes;
	uint32_t actions = probes_source_program(session->options)->action_count;
	struct region_source regions = {.folder = session->options->context.folder,
					.pid = process->pid};
	/* Kept for the next process: reading them takes long. */
	static struct source_lines lines;
	const struct taking taking = {session, process, &regions, &lines};
	struct now now = {0};

	vector_for_each (&probes->copies, copy) {
		const struct wire_probe_entry *entries = copy->entries;
		const struct wire_probe_record *records = copy->records;

		for (uint64_t i = 0; i < copy->entry_count; i++)
			add_entry(&taking, copy, &entries[i], &now);
		add_losses(probes, copy, actions, &now);
		add_extremes(session, probes, copy, &now);
		for (uint64_t i = 0; counts && i < copy->record_count; i++)
			add_record(&taking, copy, &records[i], interval);
	}
	drop_copies(probes);
	region_source_deinit(&regions);
	for (uint32_t i = 0; i < now.totals.count; i++)
		take_more(session, probes, i, &now.totals.items[i], counts, interval);
	vector_deinit(&now.totals);
}

void probes_forget(struct image_run *image, uint32_t thread)
{
	vector_for_each (&image->probes.sums, sum)
		if (!thread || sum->thread == thread)
			sum->mark = (struct image_probe_total){0};
}
