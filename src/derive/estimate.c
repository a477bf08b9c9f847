#include "derive/estimate.h"

#include "base/cleanup.h"

/* One side of a block: what comes in, or goes out. */
struct side {
	uint64_t known;
	uint32_t unknown; /* routes */
	uint32_t last;    /* of them */
};

struct estimate {
	struct routes *routes;
	const struct annotation *annotation;
	struct side *sides; /* two for each block: in, out */
};

static void note_route(struct side *side, const struct route *route, uint32_t index)
{
	if (route->known) {
		side->known += route->count;
	} else {
		side->unknown++;
		side->last = index;
	}
}

static void look_at_sides(const struct estimate *estimate)
{
	for (size_t i = 0; i < 2 * estimate->annotation->blocks.count; i++)
		estimate->sides[i] = (struct side){0};
	for (uint32_t i = 0; i < estimate->routes->count; i++) {
		const struct route *route = &estimate->routes->items[i];

		if (route->to != ROUTE_OUTSIDE)
			note_route(&estimate->sides[2 * (size_t)route->to], route, i);
		if (route->from != ROUTE_OUTSIDE)
			note_route(&estimate->sides[2 * (size_t)route->from + 1], route,
				   i);
	}
}

/* What is left for the unknown routes of a side. */
static uint64_t rest_of(const struct estimate *estimate, size_t side)
{
	uint64_t count = estimate->annotation->blocks.items[side / 2].count;
	uint64_t known = estimate->sides[side].known;

	return count > known ? count - known : 0;
}

/* Where one route of a side is open, it has the rest; false if there is none. */
static bool settle_sides(const struct estimate *estimate)
{
	size_t count = estimate->annotation->blocks.count;
	bool changed = false;

	for (size_t side = 0; side < 2 * count; side++) {
		struct route *route =
			&estimate->routes->items[estimate->sides[side].last];
		/* What else may lead to a block leads there by no route. */
		bool open = side % 2 == 0 && annotation_is_exposed(estimate->annotation,
								   (uint32_t)(side / 2));

		if (open || estimate->sides[side].unknown != 1 || route->known)
			continue;
		route->known = changed = true;
		route->count = rest_of(estimate, side);
	}
	return changed;
}

/* Gives the first open route an even share of what its ends have left; false: none. */
static bool guess_count(const struct estimate *estimate)
{
	vector_for_each (estimate->routes, route) {
		uint64_t share = UINT64_MAX;
		size_t ends[] = {2 * (size_t)route->to, 2 * (size_t)route->from + 1};

		if (route->known)
			continue;
		for (size_t i = 0; i < 2; i++) {
			bool outside = (i ? route->from : route->to) == ROUTE_OUTSIDE;

			if (outside)
				continue;
			uint64_t rest = rest_of(estimate, ends[i]) /
					estimate->sides[ends[i]].unknown;

			share = rest < share ? rest : share;
		}
		route->known = true;
		route->count = share == UINT64_MAX ? 0 : share;
		return true;
	}
	return false;
}

void estimate_routes(struct routes *routes, const struct annotation *annotation)
{
	scoped_free struct side *sides =
		memory_allocate_zeroed(2 * annotation->blocks.count, sizeof(*sides));
	struct estimate estimate = {routes, annotation, sides};

	do
		look_at_sides(&estimate);
	while (settle_sides(&estimate) || guess_count(&estimate));
}
