#include "collect/probes/save.h"

#include "base/cleanup.h"
#include "code/points/points.h"
#include "collect/probes/source.h"
#include "collect/probes/troubles.h"
#include "probe/cells.h"
#include "probe/list.h"
#include "probe/module.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "session/options/options.h"

#include <string.h>

/* What a record says of an action; what is 0 is left out. */
struct found {
	uint64_t hits, errors, lost;
	int64_t sum;
	bool has_extreme, has_row;
	int64_t extreme, low, high;
};

static record_attribute number_attribute(struct profile_writer *writer, const char *name,
					 enum record_type type)
{
	return record_attribute_make(writer->model, name, type,
				     RECORD_AS_VALUE | RECORD_AGGREGATABLE);
}

static record_attribute text_attribute(struct profile_writer *writer, const char *name)
{
	return record_attribute_make(writer->model, name, RECORD_STRING, 0);
}

static record_attribute value_attribute(struct profile_writer *writer, const char *name,
					enum record_type type)
{
	return record_attribute_make(writer->model, name, type, RECORD_AS_VALUE);
}

/* The node of an action, below that of its probe. */
static record_node node_of(struct profile_writer *writer, const struct probe *probe,
			   const struct probe_action *action)
{
	record_node node =
		record_node_child(writer->model, 0, text_attribute(writer, "probe"),
				  record_string(probe->name));

	return record_node_child(writer->model, node,
				 text_attribute(writer, "probe.name"),
				 record_string(action->name));
}

static void add_pair(struct record_pair *pairs, size_t *count, record_attribute attribute,
		     struct record_value value)
{
	pairs[(*count)++] = (struct record_pair){attribute, value};
}

static void write_found(struct profile_writer *writer, const struct image_run *image,
			record_node node, const struct probe_action *action,
			const struct found *found)
{
	struct record_pair pairs[12];
	size_t count = 0;
	const struct {
		const char *name;
		uint64_t number;
		enum record_type type;
		bool wanted;
	} rows[] = {
		{"probe.hits", found->hits, RECORD_UINT, true},
		{"probe.errors", found->errors, RECORD_UINT, found->errors > 0},
		{"probe.lost", found->lost, RECORD_UINT, found->lost > 0},
		{"probe.sum", (uint64_t)found->sum, RECORD_INT, found->sum != 0},
		{"probe.low", (uint64_t)found->low, RECORD_INT, found->has_row},
		{"probe.high", (uint64_t)found->high, RECORD_INT, found->has_row},
		{action->kind == PROBE_MIN ? "probe.min" : "probe.max",
		 (uint64_t)found->extreme, RECORD_INT, found->has_extreme},
	};

	add_pair(pairs, &count, writer->names.image, record_uint(image->number));
	add_pair(pairs, &count, value_attribute(writer, "probe.number", RECORD_UINT),
		 record_uint(action->number));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool summed = i < 4;

		if (!rows[i].wanted)
			continue;
		saving_set_number(
			&pairs[count++],
			summed ? number_attribute(writer, rows[i].name, rows[i].type)
			       : value_attribute(writer, rows[i].name, rows[i].type),
			rows[i].type, rows[i].number);
	}
	profile_writer_write(writer, node, pairs, count);
}

/* The values of a histogram's row. */
static void bounds_of(const struct probe_action *action, uint32_t row,
		      struct found *found)
{
	uint32_t rows = probe_action_rows(action);
	int64_t power;

	found->has_row = true;
	if (action->kind == PROBE_LINEAR) {
		found->low =
			row ? action->low + (int64_t)(row - 1) * action->step : INT64_MIN;
		found->high = found->low + action->step - 1;
		if (!row)
			found->high = action->low - 1;
		else if (row == rows - 1)
			found->low = action->high, found->high = INT64_MAX;
		else if (found->high >= action->high)
			found->high = action->high - 1;
		return;
	}
	if (!row) {
		found->low = found->high = 0;
		return;
	}
	power = (int64_t)((row - 1) % 64);
	found->low = power == 63 ? INT64_MAX : 1ll << power;
	found->high = power >= 62 ? INT64_MAX : (2ll << power) - 1;
	if (row > 64) {
		int64_t low = found->low;

		found->low = power >= 63 ? INT64_MIN : -found->high;
		found->high = power >= 63 ? INT64_MIN : -low;
	}
}

static void save_rows(struct profile_writer *writer, const struct image_run *image,
		      record_node node, const struct probe_action *action,
		      const uint64_t *rows)
{
	for (uint32_t i = 0; i < probe_action_rows(action); i++) {
		struct found found = {.hits = rows[i]};

		if (!rows[i])
			continue;
		bounds_of(action, i, &found);
		write_found(writer, image, node, action, &found);
	}
}

/* Words of least and largest numbers are in the order of unsigned ones. */
static int64_t extreme_of(const struct probe_action *action, uint64_t word)
{
	return (int64_t)((action->kind == PROBE_MIN ? ~word : word) ^ PROBE_ORDER);
}

static void save_action(struct profile_writer *writer, const struct module_counts *from,
			const struct probe *probe, const struct probe_action *action,
			const uint64_t *counters)
{
	const uint64_t *cells = counters + action->cells;
	struct found found = {
		.hits = cells[PROBE_CELL_HITS],
		.errors = cells[PROBE_CELL_ERRORS],
		.lost = cells[PROBE_CELL_LOST],
		.sum = (int64_t)cells[PROBE_CELL_VALUE],
	};
	uint32_t rows = action->key_count ? 0 : probe_action_rows(action);
	record_node node;

	for (uint32_t i = 0; i < rows; i++)
		found.hits += cells[PROBE_CELL_ROWS + i];
	if (!found.hits && !found.errors && !found.lost)
		return;
	node = node_of(writer, probe, action);
	write_found(writer, from->image, node, action, &found);
	if (rows)
		save_rows(writer, from->image, node, action, cells + PROBE_CELL_ROWS);
}

void probes_save_points(struct profile_writer *writer, const struct module_counts *from)
{
	const struct session_options *options = writer->session->options;
	const struct probe_program *program = probes_source_program(options);

	vector_for_each (&from->file->plan->points.module, row) {
		if (row->source != probes_source_index(options))
			continue;
		vector_for_each (&program->probes, probe)
			vector_for_each (&probe->actions, action)
				if (action->kind < PROBE_SET_THREAD)
					save_action(writer, from, probe, action,
						    from->counters + row->first_slot);
	}
}

/* The probe and action with a number; false: there is none. */
static bool find_action(const struct probe_program *program, uint32_t number,
			const struct probe **ret_probe,
			const struct probe_action **ret_action)
{
	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->actions, action)
			if (action->number == number) {
				*ret_probe = probe;
				*ret_action = action;
				return true;
			}
	return false;
}

static struct record_value value_of(const struct image_probes *probes, uint64_t value,
				    bool text)
{
	return text && value < probes->texts.count
		       ? record_string(probes->texts.strings[value])
		       : record_int((int64_t)value);
}

/* "probe.key#NAME" */
static record_attribute named_attribute(struct profile_writer *writer, const char *prefix,
					const char *name, bool text, uint32_t properties)
{
	struct text whole = {0};
	record_attribute attribute;

	text_format(&whole, "%s#%s", prefix, name);
	attribute = record_attribute_make(writer->model, whole.data,
					  text ? RECORD_STRING : RECORD_INT, properties);
	text_deinit(&whole);
	return attribute;
}

static record_node key_node(struct profile_writer *writer,
			    const struct image_probes *probes, record_node node,
			    const struct probe_action *action,
			    const struct image_probe_sum *sum)
{
	for (uint32_t i = 0; i < action->key_count && action->key_names[i]; i++) {
		bool text = sum->texts >> i & 1;

		node = record_node_child(writer->model, node,
					 named_attribute(writer, "probe.key",
							 action->key_names[i], text, 0),
					 value_of(probes, sum->keys[i], text));
	}
	return node;
}

static void save_count(struct profile_writer *writer, const struct image_run *image,
		       const struct image_probe_count *count)
{
	const struct probe_program *program =
		probes_source_program(writer->session->options);
	const struct image_probe_sum *sum = &image->probes.sums.items[count->sum];
	const struct probe *probe;
	const struct probe_action *action;
	struct found found = {.hits = count->total.hits};
	record_node node;

	if (!find_action(program, sum->action, &probe, &action))
		return;
	node = node_of(writer, probe, action);
	writer->interval = count->interval;
	writer->thread = sum->thread;
	writer->phase = sum->phase;
	if (sum->row == IMAGE_PROBE_LOSSES) {
		found = (struct found){.lost = count->total.hits,
				       .errors = count->total.value};
		writer->phase = ARENA_PHASE_OTHER;
	} else {
		if (sum->row != IMAGE_PROBE_EXTREME)
			node = key_node(writer, &image->probes, node, action, sum);
		if (sum->row < IMAGE_PROBE_EXTREME)
			bounds_of(action, sum->row, &found);
		else if (action->kind == PROBE_MIN || action->kind == PROBE_MAX)
			found.has_extreme = true;
		else
			found.sum = (int64_t)count->total.value;
		if (found.has_extreme)
			found.extreme = extreme_of(action, count->total.value);
		/* Without keys its hits are those of the module's counter. */
		if (action->key_count && !action->key_names[0])
			found.hits = 0;
	}
	write_found(writer, image, node, action, &found);
	writer->thread = 0;
}

static void save_record(struct profile_writer *writer, const struct image_run *image,
			const struct image_probe_record *record)
{
	const struct probe_program *program =
		probes_source_program(writer->session->options);
	struct record_pair pairs[4 + IMAGE_PROBE_VALUES];
	const struct probe *probe;
	const struct probe_action *action;
	size_t count = 0;

	if (!find_action(program, record->action, &probe, &action))
		return;
	add_pair(pairs, &count, writer->names.image, record_uint(image->number));
	add_pair(pairs, &count, writer->names.thread, record_uint(record->thread));
	add_pair(pairs, &count, value_attribute(writer, "probe.number", RECORD_UINT),
		 record_uint(action->number));
	add_pair(pairs, &count, value_attribute(writer, "time.offset.ns", RECORD_UINT),
		 record_uint(record->ns));
	for (uint32_t i = 0; i < action->operand_count && action->operand_names[i]; i++) {
		bool text = record->texts >> i & 1;

		add_pair(pairs, &count,
			 named_attribute(writer, "probe.value", action->operand_names[i],
					 text, RECORD_AS_VALUE),
			 value_of(&image->probes, record->values[i], text));
	}
	writer->phase = record->phase;
	trm_writer_record(writer->writer,
			  profile_writer_in_phase(writer, node_of(writer, probe, action)),
			  pairs, count);
}

/* What each action is, with the first image: also of those that found nothing. */
static void save_kinds(struct profile_writer *writer, const struct image_run *image)
{
	const struct probe_program *program =
		probes_source_program(writer->session->options);

	vector_for_each (&program->probes, probe)
		vector_for_each (&probe->actions, action) {
			struct record_pair pairs[6];
			struct text keys = {0};
			size_t count = 0;

			if (action->kind >= PROBE_SET_THREAD)
				continue;
			for (uint32_t i = 0;
			     i < action->key_count && action->key_names[i]; i++)
				text_format(&keys, "%s%s", i ? ", " : "",
					    action->key_names[i]);
			add_pair(pairs, &count, writer->names.image,
				 record_uint(image->number));
			add_pair(pairs, &count,
				 value_attribute(writer, "probe.number", RECORD_UINT),
				 record_uint(action->number));
			add_pair(pairs, &count,
				 value_attribute(writer, "probe.kind", RECORD_STRING),
				 record_string(probe_action_name(action->kind)));
			if (keys.length)
				add_pair(pairs, &count,
					 value_attribute(writer, "probe.keys",
							 RECORD_STRING),
					 record_string(keys.data));
			if (action->limit)
				add_pair(pairs, &count,
					 value_attribute(writer, "probe.limit",
							 RECORD_UINT),
					 record_uint(action->limit));
			trm_writer_record(writer->writer, node_of(writer, probe, action),
					  pairs, count);
			text_deinit(&keys);
		}
}

void probes_save_image(struct profile_writer *writer, const struct image_run *image)
{
	const struct session *session = writer->session;

	if (session->images.count && session->images.items[0] == image)
		save_kinds(writer, image);
	vector_for_each (&image->probes.counts, count)
		save_count(writer, image, count);
	vector_for_each (&image->probes.records, record)
		save_record(writer, image, record);
}

void probes_save_begin(struct profile_writer *writer)
{
	struct text troubles = {0};

	probes_troubles(writer->session, &troubles);
	if (troubles.length)
		trm_error_destroy(profile_writer_global(writer, "probe.troubles",
							record_string(troubles.data)));
	text_deinit(&troubles);
}
