#include "annotate/check.h"

#include "annotate/routes.h"
#include "base/array.h"
#include "report/arcs.h"
#include "report/blocks.h"
#include "report/runs.h"

#include <string.h>

/* What is known around a block. */
struct neighbours {
	uint64_t in, out;          /* sums of the counts of blocks with a route here, or
				      from here */
	uint32_t ins, outs;        /* routes */
	bool in_stays, out_leaves; /* a block in front has calls; a route leads outside */
	uint32_t next;             /* the last block that a route leads to */
};

static void add_row(struct check *check, enum check_kind kind,
		    const struct report_function *function, uint64_t address,
		    const uint64_t numbers[2])
{
	if (numbers[0] <= numbers[1])
		return;
	check->faults += kind < CHECK_LEFT;
	vector_push(&check->rows, ((struct check_row){kind, function, address, numbers[0],
						      numbers[1]}));
}

/* A call enters the first block. */
static void check_calls(struct check *check, const struct report_function *function,
			const struct report_block *blocks, size_t count)
{
	uint64_t entered = 0;

	for (size_t i = 0; i < count && !entered; i++)
		if (blocks[i].address == function->offset)
			entered = blocks[i].count;
	add_row(check, CHECK_CALLS, function, function->offset,
		(const uint64_t[]){function->calls, entered});
}

/* How often a block may have been left: also by threads that stood in it when counting
 * began. */
static uint64_t most_left(const struct annotation_block *block)
{
	return block->stayed < 0 ? block->count - (uint64_t)block->stayed : block->count;
}

/* What a route adds to what is known of its ends. */
static void add_route(const struct annotation *annotation, struct neighbours *neighbours,
		      const struct route *route)
{
	const struct annotation_block *blocks = annotation->blocks.items;
	bool inside = route->from != ROUTE_OUTSIDE;

	if (route->to == ROUTE_OUTSIDE) {
		neighbours[route->from].out_leaves = true;
		return;
	}
	neighbours[route->to].ins++;
	neighbours[route->to].in +=
		inside ? most_left(&blocks[route->from]) : route->count;
	if (!inside)
		return;
	if (annotation_may_stay(annotation, route->from))
		neighbours[route->to].in_stays = true;
	neighbours[route->from].outs++;
	neighbours[route->from].out += blocks[route->to].count;
	neighbours[route->from].next = route->to;
}

static void check_block(struct check *check, const struct annotation *annotation,
			const struct neighbours *neighbours, uint32_t number)
{
	const struct annotation_block *block = &annotation->blocks.items[number];
	const struct neighbours *around = &neighbours[number];
	bool stays = annotation_may_stay(annotation, number);

	/* What a call of fork or setjmp brings back twice goes on from there twice. */
	if (!annotation_is_exposed(annotation, number) && !around->in_stays)
		add_row(check, CHECK_ENTRY, annotation->function, block->address,
			(const uint64_t[]){block->count, around->in});
	if (around->out_leaves || !around->outs)
		return;
	/* With calls, only a way that nothing else takes says what came back. */
	if (!stays || (around->outs == 1 && neighbours[around->next].ins == 1 &&
		       !annotation_is_exposed(annotation, around->next)))
		add_row(check, stays ? CHECK_STAYED : CHECK_LEFT, annotation->function,
			block->address, (const uint64_t[]){block->count, around->out});
}

/* What is known around a block where edges were measured. */
struct balance {
	uint64_t in, out;
	bool in_open, out_open; /* there is an edge without a count */
};

static void add_to_balance(struct balance *balances, const struct route *route)
{
	if (route->to != ROUTE_OUTSIDE) {
		balances[route->to].in += route->count;
		balances[route->to].in_open |= !route->known;
	}
	if (route->from != ROUTE_OUTSIDE) {
		balances[route->from].out += route->count;
		balances[route->from].out_open |= !route->known;
	}
}

static void check_balance(struct check *check, const struct annotation *annotation,
			  const struct balance *balance, uint32_t number)
{
	const struct annotation_block *block = &annotation->blocks.items[number];
	const struct report_function *function = annotation->function;
	bool stays = annotation_may_stay(annotation, number);
	uint64_t left = balance->out, gone = left + (uint64_t)block->stayed;
	uint64_t count = block->count;

	add_row(check, CHECK_IN, function, block->address,
		(const uint64_t[]){balance->in, count});
	if (!annotation_is_exposed(annotation, number) && !balance->in_open)
		add_row(check, CHECK_CAME, function, block->address,
			(const uint64_t[]){count, balance->in});
	if (balance->out_open)
		return;
	add_row(check, CHECK_OUT, function, block->address,
		(const uint64_t[]){count > gone ? count : gone,
				   count > gone ? gone : count});
	add_row(check, stays ? CHECK_STAYED : CHECK_LEFT, function, block->address,
		(const uint64_t[]){count, left});
	add_row(check, CHECK_TWICE, function, block->address,
		(const uint64_t[]){left, count});
}

static void check_edges(struct check *check, const struct annotation *annotation)
{
	size_t count = annotation->blocks.count;
	struct balance *balances = memory_allocate_zeroed(count, sizeof(*balances));
	struct routes routes;
	struct trm_error *error = routes_init(&routes, annotation);

	if (!error) {
		vector_for_each (&routes, route) {
			check->edges += route->count && route->from != ROUTE_OUTSIDE;
			add_to_balance(balances, route);
		}
		for (uint32_t i = 0; i < count; i++)
			check_balance(check, annotation, &balances[i], i);
	}
	trm_error_destroy(error);
	vector_deinit(&routes);
	free(balances);
}

static void check_flow(struct check *check, const struct annotation *annotation)
{
	size_t count = annotation->blocks.count;
	struct neighbours *neighbours =
		memory_allocate_zeroed(count, sizeof(*neighbours));
	struct routes routes;

	/* Another version of trammel may see other blocks: nothing can be said then. */
	struct trm_error *error = routes_init(&routes, annotation);

	if (!error) {
		vector_for_each (&routes, route)
			add_route(annotation, neighbours, route);
		for (uint32_t i = 0; i < count; i++)
			check_block(check, annotation, neighbours, i);
	}
	trm_error_destroy(error);
	vector_deinit(&routes);
	free(neighbours);
}

/* No block lies beyond its function, and its parts: `inside` is noted of those that are
 * in the code that the annotation is about. */
static void check_places(struct check *check, const struct annotation *annotation,
			 const struct report_block *blocks, size_t count, bool *inside)
{
	uint64_t end = annotation->address + annotation->size;

	for (size_t i = 0; i < count; i++) {
		if (blocks[i].address - annotation->address >= annotation->size)
			continue;
		inside[i] = true;
		add_row(check, CHECK_BEYOND, annotation->function, blocks[i].address,
			(const uint64_t[]){blocks[i].address + blocks[i].size, end});
	}
}

/* All that an annotation says of a function and its parts; deinits it. */
static void check_code(struct check *check, struct annotation *annotation,
		       const struct report_block *blocks, size_t count)
{
	const struct report_function *function = annotation->function;
	bool *inside = memory_allocate_zeroed(count, sizeof(*inside));

	do {
		check_places(check, annotation, blocks, count, inside);
		(annotation->with_edges ? check_edges : check_flow)(check, annotation);
	} while (annotation_next(annotation));
	for (size_t i = 0; i < count; i++)
		if (!inside[i])
			add_row(check, CHECK_BEYOND, function, blocks[i].address,
				(const uint64_t[]){blocks[i].address, 0});
	annotation_deinit(annotation);
	free(inside);
}

static void check_function(struct check *check, const struct report_profile *profile,
			   const struct report_function *function,
			   const struct annotation_file *file)
{
	struct annotation annotation;
	struct trm_error *error = NULL;
	size_t count;
	struct report_block *blocks = report_function_blocks(profile, function, &count);

	check->functions++;
	check->blocks += count;
	check_calls(check, function, blocks, count);
	if (file)
		error = annotation_init(&annotation, profile, function, file);
	if (file && !error) {
		check_code(check, &annotation, blocks, count);
	} else if (file) {
		add_row(check, CHECK_BEYOND, function, function->offset,
			(const uint64_t[]){function->offset, 0});
	}
	trm_error_destroy(error);
	free(blocks);
}

static void check_module(struct check *check, const struct report_profile *profile,
			 const struct report_module *module)
{
	uint32_t number = (uint32_t)(module - profile->modules.items);
	struct annotation_file file;
	struct trm_error *error;

	if (!module->blocks)
		return;
	error = annotation_open(&file, module);
	if (error)
		vector_push(&check->troubles,
			    ((struct check_trouble){module,
						    memory_copy_string(error->message)}));
	vector_for_each (&profile->functions, function)
		if (function->module == number && function->blocks)
			check_function(check, profile, function, error ? NULL : &file);
	if (!error)
		annotation_close(&file);
	trm_error_destroy(error);
}

/* Functions of which nothing is known but that. */
static void check_solved(struct check *check, const struct report_profile *profile)
{
	vector_for_each (&profile->faults, fault) {
		const struct report_function *function =
			&profile->functions.items[fault->function];

		if (profile->images.items[fault->image].selected &&
		    profile->modules.items[function->module].selected)
			add_row(check, CHECK_SOLVED, function, fault->address,
				(const uint64_t[]){1, 0});
	}
}

static int compare_rows(const void *left, const void *right)
{
	const struct check_row *a = left, *b = right;
	bool fault_a = a->kind < CHECK_LEFT, fault_b = b->kind < CHECK_LEFT;
	uint64_t more_a = a->a - a->b, more_b = b->a - b->b;

	return compare_numbers(fault_b, fault_a)
		       ?: compare_numbers(more_b, more_a)
		       ?: compare_numbers(a->function, b->function)
		       ?: compare_numbers(a->address, b->address);
}

/* A thread that ended by force can have been between the two counters of one call. */
static uint64_t ended_by_force(const struct report_profile *profile)
{
	uint64_t threads = 0;

	vector_for_each (&profile->images, image) {
		bool killed = !strncmp(image->state, "killed", strlen("killed"));

		if (image->selected && image->threads)
			threads += image->threads - !killed;
	}
	return threads;
}

/* Of several runs some may have counted functions alone. */
static bool all_have_arcs(const struct report_profile *profile)
{
	vector_for_each (&profile->runs, run)
		if (!strstr(report_run_text(run, "run.measure"), "calls"))
			return false;
	return true;
}

/* All calls of a function came from somewhere. */
static void check_arcs(struct check *check, const struct report_profile *profile)
{
	static const struct report_arc_filter all = {NULL, NULL};
	const uint64_t slack = ended_by_force(profile);
	uint64_t *sums = memory_allocate_zeroed(profile->functions.count, sizeof(*sums));
	struct report_arc *arcs =
		report_profile_arcs(profile, &all, REPORT_SORT_CALLS, true, &check->arcs);

	for (size_t i = 0; i < check->arcs; i++)
		sums[arcs[i].function] += arcs[i].count;
	free(arcs);
	for (size_t i = 0; i < profile->functions.count && check->arcs; i++) {
		const struct report_function *function = &profile->functions.items[i];

		add_row(check, CHECK_ARCS, function, function->offset,
			(const uint64_t[]){sums[i], function->calls + slack});
		if (all_have_arcs(profile))
			add_row(check, CHECK_LACK, function, function->offset,
				(const uint64_t[]){function->calls, sums[i] + slack});
	}
	free(sums);
}

void check_init(struct check *check, const struct report_profile *profile)
{
	*check = (struct check){0};
	vector_for_each (&profile->modules, module)
		check_module(check, profile, module);
	check_arcs(check, profile);
	check_solved(check, profile);
	if (check->rows.count)
		qsort(check->rows.items, check->rows.count, sizeof(*check->rows.items),
		      compare_rows);
}

void check_deinit(struct check *check)
{
	vector_deinit(&check->rows);
	vector_for_each (&check->troubles, trouble)
		free(trouble->reason);
	vector_deinit(&check->troubles);
}
