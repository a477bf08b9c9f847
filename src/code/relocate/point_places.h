/*
 * The points of a function that is relocated whole: where each has its code, and writing
 * it with its rows of the address map.
 */
#ifndef TRAMMEL_CODE_RELOCATE_POINT_PLACES_H
#define TRAMMEL_CODE_RELOCATE_POINT_PLACES_H

#include "code/points/recipe_write.h"
#include "code/relocate/live_registers.h"

/* What became of a point. */
struct point_state {
	struct recipe_needs needs;
	uint8_t trouble; /* enum point_trouble */
};

struct point_places {
	const struct point_sources *sources;
	const struct plan_point_layout *layout;
	bool may_return; /* functions may be replaced: set by the caller, too */
	struct point_function function;
	struct points
		list; /* sorted by place; points whose place is that of another are
			 there: behind the last instruction of a block they are on
			 its edge, and on the edge of a jump they are in front of it */
	struct VECTOR(struct point_state) states; /* by point */
	uint16_t wanted; /* general registers that are as good as alive everywhere */
	struct live_registers live;
	struct recipe recipe; /* scratch */
	/* By source: its numbers of counters, and the first of them. */
	struct plan_point_slots slots[POINT_SOURCES_MAX];
	const struct plan_point_slots *module; /* plan.points.module, by source */
	bool on_edges;                         /* there are points on edges */
};

/* Asks the sources for the points of a function. False: it has none. Storage is reused
 * (all 0 at first). places->function is set by the caller, like sources and layout. */
bool point_places_list(struct point_places *places);

/* Takes counters for all points, and tells the plan of them. */
void point_places_take_slots(struct point_places *places, struct plan *plan);

/* Measures the code of all points, as if it were written near `address`, once the slots
 * are known. Returns the sum of the sizes. */
size_t point_places_measure(struct point_places *places, uint64_t address);

/* The most bytes of code of all points: as point_places_measure has found. */
size_t point_places_size(const struct point_places *places);

/* Whether there are points at a place; `places` may be NULL. */
bool point_places_have(const struct point_places *places, enum point_where where,
		       uint32_t at);

/* Writes the code of the points at a place, with rows with the flags of enum
 * map_row_point. An emitter without a plan only gets the size. */
void point_places_emit(struct point_places *places, struct emitter *emitter,
		       enum point_where where, uint32_t at, unsigned flags);

/* Tells the plan what became of the points; those that were not written stay. */
void point_places_tell(const struct point_places *places, struct plan *plan,
		       bool relocated);

void point_places_deinit(struct point_places *places);

#endif
