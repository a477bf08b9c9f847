#include "code/relocate/map_rows.h"

#include "base/array.h"
#include "x86/length.h"

static void add_row(struct emitter *emitter, enum map_row_kind kind, unsigned original,
		    unsigned code)
{
	if (emitter->plan)
		vector_push(&emitter->plan->map_rows,
			    ((struct map_row){
				    .kind = (uint16_t)(kind & 7),
				    .original = original & 15,
				    .code = code & 511,
			    }));
}

void map_row_add(struct emitter *emitter, enum map_row_kind kind, unsigned original,
		 size_t from)
{
	add_row(emitter, kind, original, (unsigned)(emitter->count - from));
}

void map_row_add_pair(struct emitter *emitter, unsigned length)
{
	const unsigned sizes[] = {LENGTH_PAIR_BRANCH, 1, length - LENGTH_PAIR_BRANCH - 1};

	for (unsigned i = 0; i < array_count(sizes); i++)
		add_row(emitter, MAP_ROW_MOVED, sizes[i], sizes[i]);
}

void map_row_add_away(struct emitter *emitter, int64_t distance)
{
	while (distance) {
		int64_t part = distance > MAP_ROW_FAR    ? MAP_ROW_FAR
			       : distance < -MAP_ROW_FAR ? -MAP_ROW_FAR
							 : distance;

		add_row(emitter, MAP_ROW_AWAY, (unsigned)part, (unsigned)part >> 4);
		distance -= part;
	}
}
