#include "derive/calc.h"

#include "base/array.h"
#include "base/search.h"
#include "report/samples.h"

#include <math.h>
#include <stdlib.h>

const unsigned int calc_check_percents[3] = {5, 10, 15};

/* Waiting for less than this is nothing. */
#define STALL_LEAST 0.5

static bool is_entered(const struct cfg *cfg, uint32_t block)
{
	vector_for_each (&cfg->edges, edge)
		if (edge->to == block && edge->from + 1 != block)
			return true;
	return !block || cfg->blocks.items[block].exposed;
}

/* Rows of all instructions, with their least time. */
static void make_rows(struct calc *calc)
{
	const struct annotation *annotation = calc->annotation;
	const struct cfg *cfg = &annotation->cfg;

	for (uint32_t b = 0; b < cfg->blocks.count; b++) {
		const struct cfg_block *block = &cfg->blocks.items[b];
		struct cycles_row *rows =
			memory_allocate_zeroed(block->count + 1, sizeof(*rows));

		cycles_of_block(annotation, b, is_entered(cfg, b), rows);
		for (uint32_t i = 0; i < block->count; i++) {
			const struct cfg_instruction *at =
				&cfg->instructions.items[block->first + i];

			vector_push(&calc->rows,
				    ((struct calc_row){
					    .address = annotation->address + at->offset,
					    .block = b,
					    .length = at->length,
					    .first = !i,
					    .least = rows[i].least,
					    .causes = rows[i].causes,
				    }));
		}
		free(rows);
	}
}

static void add_samples(struct calc *calc, double cycles_per_event)
{
	size_t count;
	struct report_sample *samples = report_samples_within(
		calc->annotation->profile, calc->annotation->function, &count);

	for (size_t i = 0; i < count; i++) {
		const uint64_t address = samples[i].address;
		const size_t behind = search_first(
			calc->rows.count, at, calc->rows.items[at].address <= address);
		struct calc_row *row = behind ? &calc->rows.items[behind - 1] : NULL;

		if (!row || address - row->address >= row->length)
			continue;
		row->samples += samples[i].samples;
		row->cycles += (double)samples[i].events * cycles_per_event;
	}
	free(samples);
}

/* What each execution took, and what it waited for: causes that are impossible were never
 * there; if several are possible, each may have been it. */
static void find_stalls(struct calc *calc)
{
	vector_for_each (&calc->rows, row) {
		const struct frequency *block = &calc->blocks[row->block];

		calc->cycles += row->cycles;
		if (block->count < 0.5)
			continue;
		row->each = row->cycles / block->count;
		calc->least += row->least * block->count;
		if (row->each < row->least + STALL_LEAST) {
			row->causes = 0;
			continue;
		}
		row->stall = (row->each - row->least) * block->count;
		for (int i = 0; i < CYCLES_CAUSES; i++)
			if (row->causes >> i & 1)
				calc->stalls[i] += row->stall;
		if (!row->causes)
			calc->unexplained += row->stall;
	}
}

struct trm_error *calc_init(struct calc *calc, const struct annotation *annotation,
			    const struct calc_options *options)
{
	const struct report_profile *profile = annotation->profile;
	const bool is_clock = profile->events.count && profile->events.items[0].is_clock;
	struct frequency_block *blocks;

	*calc = (struct calc){.annotation = annotation};
	if (annotation->trouble != CFG_FINE)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"'%s' has no control-flow graph: its code was "
					"not understood",
					annotation->function->name);
	make_rows(calc);
	add_samples(calc, is_clock ? options->ghz : 1);
	calc->blocks = memory_allocate_zeroed(annotation->cfg.blocks.count + 1,
					      sizeof(*calc->blocks));
	blocks =
		memory_allocate_zeroed(annotation->cfg.blocks.count + 1, sizeof(*blocks));
	vector_for_each (&calc->rows, row) {
		blocks[row->block].samples += row->samples;
		blocks[row->block].cycles += row->cycles;
		blocks[row->block].least += row->least;
	}
	frequency_estimate(annotation, options->exact, blocks, calc->blocks);
	free(blocks);
	find_stalls(calc);
	return NULL;
}

void calc_deinit(struct calc *calc)
{
	vector_deinit(&calc->rows);
	free(calc->blocks);
}

struct offset {
	double log, weight;
};

static int by_log(const void *left, const void *right)
{
	const struct offset *a = left, *b = right;

	return compare_numbers(a->log, b->log);
}

/* The factor that makes estimates those counts, at the middle of the samples: a mean
 * would be led away by a few estimates that are far off. */
static double scale_of(const struct calc *estimated)
{
	const struct annotation_block *exact = estimated->annotation->blocks.items;
	struct VECTOR(struct offset) offsets = {0};
	double weight = 0, before = 0, log_scale = 0;

	vector_for_each (&estimated->rows, row) {
		const double estimate = estimated->blocks[row->block].count;
		const double count = (double)exact[row->block].count;

		if (!row->samples || estimate <= 0 || count <= 0)
			continue;
		vector_push(&offsets, ((struct offset){log(count / estimate),
						       (double)row->samples}));
		weight += (double)row->samples;
	}
	if (offsets.count)
		qsort(offsets.items, offsets.count, sizeof(*offsets.items), by_log);
	vector_for_each (&offsets, offset) {
		log_scale = offset->log;
		before += offset->weight;
		if (before >= weight / 2)
			break;
	}
	vector_deinit(&offsets);
	return exp(log_scale);
}

void calc_check_add(struct calc_check *check, const struct calc *estimated, bool scaled)
{
	const struct annotation *annotation = estimated->annotation;
	const double scale = scaled ? scale_of(estimated) : 1;

	vector_for_each (&estimated->rows, row) {
		const double exact = (double)annotation->blocks.items[row->block].count;
		const double off =
			fabs(estimated->blocks[row->block].count * scale - exact);

		if (!row->samples)
			continue;
		check->samples += (double)row->samples;
		for (size_t i = 0; i < 3; i++)
			if (off * 100 <= calc_check_percents[i] * exact)
				check->within[i] += (double)row->samples;
	}
}
