/* Routes between blocks, and their counts. */
#include "annotate/routes.h"

#include "report/edges.h"

/* What is known around a block, on one side of it. */
struct side {
	uint64_t sum;     /* of known counts */
	uint32_t unknown; /* routes */
	uint32_t last;    /* of them */
	bool balanced;    /* all that enters (or leaves) the block comes by a route */
};

struct solving {
	struct routes *routes;
	const struct annotation *annotation;
	struct side *in, *out; /* by block */
};

static void add_route(struct routes *routes, struct table *route_by_ends,
		      const struct cfg_edge *edge)
{
	static const char *const kinds[] = {
		[CFG_EDGE_TAKEN] = "jump",
		[CFG_EDGE_FALL] = "next",
		[CFG_EDGE_SWITCH] = "switch",
		[CFG_EDGE_RETURN] = "leave",
	};
	bool new;

	uint64_t *index =
		table_insert(route_by_ends, (uint64_t)edge->from << 32 | edge->to, &new);

	if (new)
		*index = routes->count;
	if (new)
		vector_push(routes, ((struct route){edge->from, edge->to,
						    kinds[edge->kind], false, 0}));
}

static void note_route(struct side *side, const struct route *route, uint32_t index)
{
	if (route->known) {
		side->sum += route->count;
	} else {
		side->unknown++;
		side->last = index;
	}
}

/* Adds up what is known by now. */
static void look_at_sides(const struct solving *solving)
{
	const struct routes *routes = solving->routes;

	for (size_t i = 0; i < solving->annotation->blocks.count; i++) {
		solving->in[i].sum = solving->out[i].sum = 0;
		solving->in[i].unknown = solving->out[i].unknown = 0;
	}
	for (uint32_t i = 0; i < routes->count; i++) {
		const struct route *route = &routes->items[i];

		if (route->to != ROUTE_OUTSIDE)
			note_route(&solving->in[route->to], route, i);
		if (route->from != ROUTE_OUTSIDE)
			note_route(&solving->out[route->from], route, i);
	}
}

/* Gives the last unknown route of a side its count. Where a thread ended in the middle
 * of a block, there may be none that fits. */
static bool settle_side(const struct solving *solving, const struct side *side,
			uint64_t count)
{
	struct route *route = &solving->routes->items[side->last];

	if (!side->balanced || side->unknown != 1 || route->known || side->sum > count)
		return false;
	route->known = true;
	route->count = count - side->sum;
	return true;
}

static void solve_all(const struct solving *solving)
{
	const struct annotation *annotation = solving->annotation;
	bool changed = true;

	/* Sums are those of the beginning of a round: a route that another side has
	 * settled since then is known, and left alone. */
	while (changed) {
		changed = false;
		look_at_sides(solving);
		for (size_t i = 0; i < annotation->blocks.count; i++)
			changed |= settle_side(solving, &solving->in[i],
					       annotation->blocks.items[i].count);
		if (changed)
			continue;
		for (size_t i = 0; i < annotation->blocks.count; i++)
			changed |= settle_side(solving, &solving->out[i],
					       annotation->blocks.items[i].count);
	}
}

/* Nothing has come from where nobody was, nor gone to. */
static void set_zeros(struct routes *routes, const struct annotation *annotation)
{
	const struct annotation_block *blocks = annotation->blocks.items;

	vector_for_each (routes, route)
		if ((route->to != ROUTE_OUTSIDE && !blocks[route->to].count) ||
		    (route->from != ROUTE_OUTSIDE && !blocks[route->from].count &&
		     !annotation_may_stay(annotation, route->from)))
			route->known = true;
}

static void find_counts(struct routes *routes, const struct annotation *annotation)
{
	size_t count = annotation->blocks.count;
	struct solving solving = {
		.routes = routes,
		.annotation = annotation,
		.in = memory_allocate_zeroed(count, sizeof(*solving.in)),
		.out = memory_allocate_zeroed(count, sizeof(*solving.out)),
	};

	for (size_t i = 0; i < count; i++) {
		solving.in[i].balanced = !annotation_is_exposed(annotation, (uint32_t)i);
		solving.out[i].balanced = !annotation_may_stay(annotation, (uint32_t)i);
	}
	set_zeros(routes, annotation);
	solve_all(&solving);
	free(solving.in);
	free(solving.out);
}

/* A return of a block with calls is not told apart from calls that do not come back. Nor
 * is what may fall out of the function behind a call, unless it was seen to. */
static bool is_open(const struct annotation *annotation, const struct cfg_edge *edge,
		    const struct route *route)
{
	const struct cfg *cfg = &annotation->cfg;
	const struct cfg_block *from = &cfg->blocks.items[edge->from];
	uint8_t kind = cfg->instructions.items[from->first + from->count - 1].kind;

	return edge->to == CFG_OUT && annotation_may_stay(annotation, edge->from) &&
	       kind != CFG_CONDITION && kind != CFG_LOOP && !route->count;
}

static uint64_t address_of(const struct annotation *annotation, uint32_t block)
{
	return block == ROUTE_OUTSIDE ? 0 : annotation->blocks.items[block].address;
}

/* The first edge of the profile from one block to another; by binary search. */
static size_t first_of(const struct report_edge *rows, size_t count, uint64_t from,
		       uint64_t to)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rows[middle].from < from ||
		    (rows[middle].from == from && rows[middle].to < to))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_inside(const struct annotation *annotation, uint64_t address)
{
	return address - annotation->address < annotation->size;
}

/* An edge from another part of the function. */
static void add_entry(struct routes *routes, const struct annotation *annotation,
		      const struct report_edge *edge)
{
	uint32_t to = cfg_block_at(&annotation->cfg, edge->to);

	if (to == CFG_OUT)
		return;
	vector_for_each (routes, route)
		if (route->from == ROUTE_OUTSIDE && route->to == to &&
		    (to || annotation->part)) {
			route->count += edge->count;
			route->known |= !edge->open;
			return;
		}
	vector_push(routes, ((struct route){ROUTE_OUTSIDE, to, "enter", !edge->open,
					    edge->count}));
}

/* What was measured. */
static void take_edges(struct routes *routes, const struct table *route_by_ends,
		       const struct annotation *annotation)
{
	size_t count;
	struct report_edge *rows =
		report_function_edges(annotation->profile, annotation->function, &count);

	vector_for_each (routes, route) {
		uint64_t from = address_of(annotation, route->from);
		uint64_t to = address_of(annotation, route->to);
		size_t i = first_of(rows, count, from, 0);

		if (route->from == ROUTE_OUTSIDE)
			continue;
		route->known = true;
		for (; i < count && rows[i].from == from; i++) {
			if (is_inside(annotation, rows[i].to) ? rows[i].to != to : to)
				continue;
			route->count += rows[i].count;
			route->known &= !rows[i].open;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (is_inside(annotation, rows[i].to) &&
		    !is_inside(annotation, rows[i].from))
			add_entry(routes, annotation, &rows[i]);
	vector_for_each (&annotation->cfg.edges, edge) {
		uint64_t index;

		if (table_find(route_by_ends, (uint64_t)edge->from << 32 | edge->to,
			       &index) &&
		    is_open(annotation, edge, &routes->items[index]))
			routes->items[index].known = false;
	}
	free(rows);
}

struct trm_error *routes_init(struct routes *routes, const struct annotation *annotation)
{
	static const char *const troubles[] = {
		[CFG_UNDECODABLE] = "not all of it is known instructions",
		[CFG_INDIRECT] = "it has an indirect jump that was not understood",
		[CFG_ODD] = "its code is unusual",
	};
	struct table route_by_ends = {0};

	*routes = (struct routes){0};
	if (annotation->trouble != CFG_FINE)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"'%s' has no graph: %s; trammel annotate shows "
					"its code",
					annotation->function->name,
					troubles[annotation->trouble]);
	/* How often a part is entered its blocks say. */
	vector_push(routes,
		    ((struct route){ROUTE_OUTSIDE, 0, annotation->part ? "enter" : "call",
				    !annotation->part,
				    annotation->part ? 0 : annotation->function->calls}));
	vector_for_each (&annotation->cfg.edges, edge)
		add_route(routes, &route_by_ends, edge);
	if (annotation->with_edges)
		take_edges(routes, &route_by_ends, annotation);
	else if (annotation->counted)
		find_counts(routes, annotation);
	table_deinit(&route_by_ends);
	return NULL;
}
