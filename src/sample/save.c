#include "sample/save.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "image/image.h"
#include "sample/jit.h"
#include "sample/kernel.h"
#include "record/known.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct attributes {
	record_attribute module, path, function, caller_module, caller;
	record_attribute region, offset, image, thread, event, address, samples, events;
	record_attribute build_id, known, instrumented, weight;
	record_attribute branch_from, branch_to, target, taken, missed;
	record_attribute wait_kind, wait_on, longest, holder;
};

/* A sum as it is written; equal ones but for the last two are one. */
struct row {
	record_node node;
	uint32_t image, tid, wait, context, event;
	uint64_t offset, address;
	uint64_t samples, events, longest, weight;
};

struct naming {
	uint64_t offset;
	char *name;
};

struct writing {
	const struct sample_saving *saving;
	struct sampler *sampler;
	struct attributes names;
	record_node
		*callers; /* by node of the sums: its path, with itself; 0: not made */
	struct table by_place; /* index in `named` + 1, by a hash of module and address */
	struct VECTOR(struct naming) named;
	struct VECTOR(struct row) rows;
	struct table loads; /* modules of images that were described */
};

static struct trm_error *make_attributes(struct writing *writing)
{
	struct attributes *n = &writing->names;
	const struct record_attribute_row rows[] = {
		{"region.path", &n->region},
		{"module", &n->module},
		{"module.path", &n->path},
		{"function", &n->function},
		{"frame.module", &n->caller_module},
		{"frame", &n->caller},
		{"offset", &n->offset},
		{"image", &n->image},
		{"thread", &n->thread},
		{"event", &n->event},
		{"sample.address", &n->address},
		{"samples", &n->samples},
		{"sample.events", &n->events},
		{"sample.weight", &n->weight},
		{"branch.from", &n->branch_from},
		{"branch.to", &n->branch_to},
		{"branch.target", &n->target},
		{"branch.samples", &n->taken},
		{"branch.mispredicted", &n->missed},
		{"buildid", &n->build_id},
		{"functions.known", &n->known},
		{"functions.instrumented", &n->instrumented},
		{"wait.kind", &n->wait_kind},
		{"wait.on", &n->wait_on},
		{"wait.longest.ns", &n->longest},
		{"wait.holder", &n->holder},
	};

	return record_attributes_intern(writing->saving->model, rows, array_count(rows));
}

static const char *path_of(const struct writing *writing, uint32_t module)
{
	return module < writing->sampler->processes.modules.items.count
		       ? writing->sampler->processes.modules.items.items[module]->path
		       : "[unknown]";
}

static struct sample_name look_up(struct writing *writing, const struct sample_node *node)
{
	struct sample_name name = {.offset = node->address};
	struct text text = {0};

	if (node->module < writing->sampler->processes.modules.items.count)
		return sample_module_name(
			writing->sampler->processes.modules.items.items[node->module],
			node->address);
	if (node->module == SAMPLE_CUT_OFF)
		text_add(&text, "[cut off]");
	else if (node->module == SAMPLE_RUNNING)
		text_add(&text, "[running]");
	else
		text_format(&text, "[unknown+0x%lx]", node->address);
	name.function = text.data;
	return name;
}

/* The name of a place, looked up once. Valid until the next one is. */
static const struct naming *name_of(struct writing *writing,
				    const struct sample_node *node)
{
	const uint64_t place[] = {node->module, node->address};
	uint64_t *index =
		table_insert(&writing->by_place, hash_bytes(place, sizeof(place)), NULL);

	if (!*index) {
		struct sample_name name = look_up(writing, node);

		vector_push(&writing->named, ((struct naming){.offset = name.offset,
							      .name = name.function}));
		*index = writing->named.count;
	}
	return &writing->named.items[*index - 1];
}

/* The path of frames up to a node, itself included; 0: none. */
static record_node caller_node(struct writing *writing, uint32_t node)
{
	struct record_model *model = writing->saving->model;
	const struct sample_node *nodes = writing->sampler->sums.nodes.items;
	struct VECTOR(uint32_t) chain = {0};
	record_node path = 0;

	for (; node && !writing->callers[node]; node = nodes[node].parent)
		vector_push(&chain, node);
	if (node)
		path = writing->callers[node];
	while (chain.count) {
		const uint32_t at = chain.items[--chain.count];
		const char *name = name_of(writing, &nodes[at])->name;

		path = record_node_child(
			model, path, writing->names.caller_module,
			record_string(path_of(writing, nodes[at].module)));
		path = record_node_child(model, path, writing->names.caller,
					 record_string(name));
		writing->callers[at] = path;
	}
	vector_deinit(&chain);
	return path;
}

/* `context`: number of the program's own context. */
static record_node leaf_node(struct writing *writing, const struct sample_node *node,
			     const char *name, uint32_t context)
{
	const struct sample_contexts *contexts = &writing->sampler->contexts;
	struct record_model *model = writing->saving->model;
	const char *path = path_of(writing, node->module);
	record_node at = caller_node(writing, node->parent);

	at = record_node_child(model, at, writing->names.module,
			       record_string(path_name(path)));
	at = record_node_child(model, at, writing->names.path, record_string(path));
	at = record_node_child(model, at, writing->names.function, record_string(name));
	return context < contexts->texts.count
		       ? record_node_child(model, at, writing->names.region,
					   record_string(contexts->texts.items[context]))
		       : at;
}

/* Describes a module once for each image: its build, and how many functions it has. */
static void save_module(struct writing *writing, uint32_t image, uint32_t index)
{
	const struct attributes *n = &writing->names;
	const struct sample_module *module;
	struct record_model *model = writing->saving->model;
	record_node node;
	bool made;

	if (writing->saving->modules_known ||
	    index >= writing->sampler->processes.modules.items.count)
		return;
	module = writing->sampler->processes.modules.items.items[index];
	table_insert(&writing->loads, (uint64_t)image << 32 | index, &made);
	if (!made)
		return;
	node = record_node_child(model, 0, n->module,
				 record_string(path_name(module->path)));
	node = record_node_child(model, node, n->path, record_string(module->path));
	const struct record_pair pairs[] = {
		{n->image, record_uint(image)},
		{n->known, record_uint(module->function_count)},
		{n->instrumented, record_uint(0)},
		{n->build_id, record_string(module->build)},
	};

	trm_writer_record(writing->saving->writer, node, pairs, array_count(pairs));
}

/* Counters that had to share the processor's registers ran for a part of the time. */
static uint64_t corrected_events(const struct writing *writing,
				 const struct sample_sum *sum)
{
	const struct sample_tally *tally = &writing->sampler->source.tallies[sum->event];

	const uint64_t run_ns = writing->sampler->source.run_ns;

	/* Below a hundredth it is the time that switching them took. */
	if (!tally->running_ns || tally->running_ns >= run_ns - run_ns / 100)
		return sum->events;
	return (uint64_t)((double)sum->events * (double)run_ns /
			  (double)tally->running_ns);
}

/* What is taken from the addresses of a module: the kernel lies elsewhere after each
 * boot.
 */
static uint64_t base_of(const struct writing *writing, uint32_t module)
{
	const struct sample_modules *modules = &writing->sampler->processes.modules;

	return module < modules->items.count ? modules->items.items[module]->base : 0;
}

static void add_row(struct writing *writing, const struct sample_sum *sum)
{
	const struct sample_node *node = &writing->sampler->sums.nodes.items[sum->node];
	const uint32_t image = writing->saving->numbers[sum->image];
	const struct naming *naming;

	if (!image)
		return;
	naming = name_of(writing, node);
	const uint64_t base = base_of(writing, node->module);

	vector_push(&writing->rows,
		    ((struct row){
			    .node = leaf_node(writing, node, naming->name, sum->context),
			    .image = image,
			    .tid = sum->tid,
			    .wait = sum->wait,
			    .context = sum->context,
			    .event = sum->event,
			    .offset = naming->offset - base,
			    .address = node->address - base,
			    .samples = sum->samples,
			    .events = corrected_events(writing, sum),
			    .longest = sum->longest,
			    .weight = sum->weight,
		    }));
	save_module(writing, image, node->module);
}

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	return compare_numbers(a->event, b->event) ?: compare_numbers(a->image, b->image)
		?: compare_numbers(a->node, b->node)
		?: compare_numbers(a->tid, b->tid)
		?: compare_numbers(a->wait, b->wait)
		?: compare_numbers(a->context, b->context)
		?: compare_numbers(a->offset, b->offset)
		?: compare_numbers(a->address, b->address);
}

/* The functions of a thread that held what others waited for, the innermost first. */
static char *describe_holder(struct writing *writing, uint32_t node)
{
	enum { SHOWN = 16 };
	const struct sample_node *nodes = writing->sampler->sums.nodes.items;
	struct text text = {0};

	for (int i = 0; node && i < SHOWN; i++, node = nodes[node].parent)
		text_format(&text, "%s%s", i ? " < " : "",
			    name_of(writing, &nodes[node])->name);
	return text.data;
}

static void write_row(struct writing *writing, const struct row *row)
{
	enum { USUAL = 6, MOST = 12 };
	const struct attributes *n = &writing->names;
	const struct sample_wait *wait =
		row->wait ? &writing->sampler->sums.waits.items[row->wait - 1] : NULL;
	char *holder = wait ? describe_holder(writing, wait->holder) : NULL;
	struct record_pair pairs[MOST] = {
		{n->offset, record_address(row->offset)},
		{n->image, record_uint(row->image)},
		{n->event,
		 record_string(writing->sampler->events.items[row->event].name)},
		{n->address, record_address(row->address)},
		{n->samples, record_uint(row->samples)},
		{n->events, record_uint(row->events)},
	};
	size_t count = USUAL;

	if (row->tid)
		pairs[count++] = (struct record_pair){n->thread, record_uint(row->tid)};
	if (wait) {
		pairs[count++] =
			(struct record_pair){n->wait_kind, record_string(wait->kind)};
		pairs[count++] =
			(struct record_pair){n->wait_on, record_string(wait->on)};
	}
	if (row->longest)
		pairs[count++] =
			(struct record_pair){n->longest, record_uint(row->longest)};
	if (row->weight)
		pairs[count++] =
			(struct record_pair){n->weight, record_uint(row->weight)};
	if (holder)
		pairs[count++] = (struct record_pair){n->holder, record_string(holder)};
	trm_writer_record(writing->saving->writer, row->node, pairs, count);
	free(holder);
}

static void write_rows(struct writing *writing)
{
	struct row *rows = writing->rows.items;
	const size_t count = writing->rows.count;

	if (count)
		qsort(rows, count, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < count; i++) {
		struct row row = rows[i];

		for (; i + 1 < count && !compare_rows(&rows[i + 1], &row); i++) {
			row.samples += rows[i + 1].samples;
			row.events += rows[i + 1].events;
			row.weight += rows[i + 1].weight;
			if (rows[i + 1].longest > row.longest)
				row.longest = rows[i + 1].longest;
		}
		write_row(writing, &row);
	}
}

static struct sample_node node_at(const struct sample_place *place)
{
	return (struct sample_node){.module = place->module, .address = place->address};
}

/* The branches of each function. */
static void write_branches(struct writing *writing)
{
	const struct attributes *n = &writing->names;

	vector_for_each (&writing->sampler->branches.rows, branch) {
		const struct sample_node from = node_at(&branch->from);
		const struct sample_node to = node_at(&branch->to);
		const uint32_t image = writing->saving->numbers[branch->image];
		scoped_free char *target =
			memory_copy_string(name_of(writing, &to)->name);
		const struct naming *naming = name_of(writing, &from);
		const struct record_pair pairs[] = {
			{n->offset, record_address(naming->offset)},
			{n->image, record_uint(image)},
			{n->branch_from, record_address(from.address)},
			{n->branch_to, record_address(to.address)},
			{n->target, record_string(target)},
			{n->taken, record_uint(branch->count)},
			{n->missed, record_uint(branch->missed)},
		};

		if (!image)
			continue;
		trm_writer_record(writing->saving->writer,
				  leaf_node(writing, &from, naming->name, UINT32_MAX),
				  pairs, array_count(pairs));
		save_module(writing, image, from.module);
	}
}

/* What each event was, and how often it happened. */
static struct trm_error *save_event(const struct writing *writing, uint32_t index)
{
	struct record_model *model = writing->saving->model;
	const struct sampler *sampler = writing->sampler;
	const struct sample_event *event = &sampler->events.items[index];
	const struct sample_tally *tally = &sampler->source.tallies[index];
	const struct sample_levels *levels = &sampler->levels[index];
	const bool by_frequency = !sampler->options.rate.period;
	const struct {
		const char *name;
		struct record_value value;
		bool wanted;
	} rows[] = {
		{"event", record_string(event->name), true},
		{"event.unit", record_string("ns"), event->is_clock},
		{"event.frequency", record_uint(sampler->options.rate.frequency),
		 by_frequency && sampler->options.rate.frequency},
		{"event.period", record_uint(event->period), event->period != 0},
		{"event.samples", record_uint(sampler->taken[index]), true},
		{"event.looks", record_uint(sampler->source.looks),
		 sampler->source.looked},
		{"event.total", record_uint(tally->total), true},
		{"event.time.ns", record_uint(sampler->source.run_ns), true},
		{"event.running.ns", record_uint(tally->running_ns), true},
		{"event.kernel", record_uint(1), sampler->source.kernel},
		{"event.data.l1", record_uint(levels->l1), levels->l1 != 0},
		{"event.data.l2", record_uint(levels->l2), levels->l2 != 0},
		{"event.data.l3", record_uint(levels->l3), levels->l3 != 0},
		{"event.data.memory", record_uint(levels->memory), levels->memory != 0},
		{"event.data.other", record_uint(levels->other), levels->other != 0},
	};
	struct record_pair pairs[array_count(rows)];
	size_t count = 0;

	if (!tally->opened)
		return NULL;
	for (size_t i = 0; i < array_count(rows); i++) {
		if (!rows[i].wanted)
			continue;
		TRM_TRY(record_attribute_intern(model, rows[i].name, rows[i].value.type,
						RECORD_AS_VALUE,
						&pairs[count].attribute));
		pairs[count++].value = rows[i].value;
	}
	trm_writer_record(writing->saving->writer, 0, pairs, count);
	return NULL;
}

/* What the samples lack, and what they cost. */
static struct trm_error *save_globals(const struct writing *writing)
{
	const struct sampler *sampler = writing->sampler;
	const char *known = sampler->source.notes.data;
	struct text text = {0};

	text_add(&text, known ? known : "");
	sampler_explain_empty(sampler, &text);
	scoped_free char *notes = text.data;
	const struct {
		const char *name;
		struct record_value value;
		bool wanted;
	} rows[] = {
		{"samples.lost", record_uint(sampler->lost), true},
		{"samples.throttled", record_uint(sampler->throttled),
		 sampler->throttled != 0},
		{"samples.dropped", record_uint(sampler->sums.dropped),
		 sampler->sums.dropped != 0},
		{"samples.cut_off", record_uint(sampler->cut_off), sampler->cut_off != 0},
		{"samples.own.ns", record_uint(sampler->own_ns), true},
		{"samples.notes", record_string(notes), *notes},
	};

	for (size_t i = 0; i < array_count(rows); i++) {
		record_attribute attribute;

		if (!rows[i].wanted)
			continue;
		TRM_TRY(record_attribute_intern(
			writing->saving->model, rows[i].name, rows[i].value.type,
			RECORD_AS_VALUE | RECORD_GLOBAL, &attribute));
		trm_writer_global(writing->saving->writer, attribute, rows[i].value);
	}
	return NULL;
}

static void deinit_writing(struct writing *writing)
{
	vector_for_each (&writing->named, naming)
		free(naming->name);
	vector_deinit(&writing->named);
	vector_deinit(&writing->rows);
	table_deinit(&writing->by_place);
	table_deinit(&writing->loads);
	free(writing->callers);
}

/* What processes say of the code that they have generated, as it is now, and the kernel
 * of its own. */
static void load_maps(const struct sampler *sampler)
{
	const struct sample_modules *modules = &sampler->processes.modules;
	scoped_free bool *sampled = memory_allocate_zeroed(modules->items.count + 1, 1);

	vector_for_each (&sampler->sums.nodes, node)
		if (node->module < modules->items.count)
			sampled[node->module] = true;
	vector_for_each (&modules->items, item) {
		struct sample_module *module = *item;

		if (!strcmp(module->path, SAMPLE_KERNEL) && !module->function_count)
			kernel_load(module);
		if (!sampled[item - modules->items.items] || !module->pid ||
		    strcmp(module->path, "[generated]") != 0)
			continue;
		sample_module_clear(module);
		jit_map_load(module, module->pid);
	}
}

struct named_node {
	uint32_t module, node;
};

static int by_address(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return compare_numbers(*a, *b);
}

static int by_module(const void *left, const void *right)
{
	const struct named_node *a = left, *b = right;

	return compare_numbers(a->module, b->module) ?: compare_numbers(a->node, b->node);
}

/* Says which addresses of a module are going to be named, those of `count` nodes of it.
 * Returns their list, which the caller frees when they are. */
static uint64_t *want_places(const struct writing *writing,
			     const struct named_node *named, size_t count)
{
	const struct sampler *sampler = writing->sampler;
	struct sample_module *module =
		sampler->processes.modules.items.items[named->module];
	uint64_t *addresses = memory_allocate(count * sizeof(*addresses));

	for (size_t i = 0; i < count; i++)
		addresses[i] = sampler->sums.nodes.items[named[i].node].address;
	qsort(addresses, count, sizeof(*addresses), by_address);
	if (!module->opened)
		module->wanted = (struct image_wanted){addresses, count};
	return addresses;
}

/* Names all places, module by module: no two files need to be open at the same time. */
static void name_places(struct writing *writing)
{
	const struct sample_sums *sums = &writing->sampler->sums;
	const struct sample_modules *modules = &writing->sampler->processes.modules;
	struct VECTOR(struct named_node) order = {0};

	for (uint32_t i = 1; i < sums->nodes.count; i++)
		vector_push(&order,
			    ((struct named_node){sums->nodes.items[i].module, i}));
	if (order.count)
		qsort(order.items, order.count, sizeof(*order.items), by_module);
	for (size_t i = 0, end; i < order.count; i = end) {
		const uint32_t module = order.items[i].module;
		uint64_t *wanted = NULL;

		for (end = i; end < order.count && order.items[end].module == module;)
			end++;
		if (module < modules->items.count)
			wanted = want_places(writing, &order.items[i], end - i);
		for (size_t at = i; at < end; at++)
			name_of(writing, &sums->nodes.items[order.items[at].node]);
		if (module < modules->items.count)
			sample_module_release(modules->items.items[module]);
		free(wanted);
	}
	vector_deinit(&order);
}

struct trm_error *sample_save_rows(const struct sample_saving *saving,
				   struct sampler *sampler)
{
	struct writing writing = {.saving = saving, .sampler = sampler};

	TRM_TRY(make_attributes(&writing));
	writing.callers = memory_allocate_zeroed(sampler->sums.nodes.count + 1,
						 sizeof(*writing.callers));
	load_maps(sampler);
	name_places(&writing);
	vector_for_each (&sampler->sums.sums, sum)
		add_row(&writing, sum);
	write_rows(&writing);
	write_branches(&writing);
	deinit_writing(&writing);
	return NULL;
}

struct trm_error *sample_save(const struct sample_saving *saving, struct sampler *sampler)
{
	const struct writing writing = {.saving = saving, .sampler = sampler};

	TRM_TRY(save_globals(&writing));
	for (uint32_t i = 0; i < sampler->events.count; i++)
		TRM_TRY(save_event(&writing, i));
	return sample_save_rows(saving, sampler);
}

static const char *state_of(const struct sampler *sampler,
			    const struct sample_image *image, const char *state)
{
	if (image->executed)
		return "exec";
	if (image->pid == sampler->first && state)
		return state;
	return image->ended || kill((pid_t)image->pid, 0) ? "ended" : "running";
}

struct trm_error *sample_save_processes(const struct sample_saving *saving,
					const struct sampler *sampler, const char *state)
{
	record_attribute process, image_number, parent, program, threads, state_name;
	const struct record_attribute_row rows[] = {
		{"process", &process},       {"image", &image_number},
		{"process.parent", &parent}, {"program", &program},
		{"threads", &threads},       {"process.state", &state_name},
	};

	TRM_TRY(record_attributes_intern(saving->model, rows, array_count(rows)));
	for (size_t i = 0; i < sampler->processes.images.count; i++) {
		const struct sample_image *image = &sampler->processes.images.items[i];
		const struct record_pair pairs[] = {
			{process, record_uint(image->pid)},
			{image_number, record_uint(saving->numbers[i])},
			{parent, record_uint(image->parent)},
			{program, record_string(image->program ? image->program : "")},
			{threads, record_uint(image->threads)},
			{state_name, record_string(state_of(sampler, image, state))},
		};

		if (saving->numbers[i])
			trm_writer_record(saving->writer, 0, pairs, array_count(pairs));
	}
	return NULL;
}
