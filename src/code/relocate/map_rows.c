#include "code/relocate/map_rows.h"

#include "x86/length.h"

static void add(struct emitter *emitter, enum plan_step_kind kind, unsigned original,
		unsigned code)
{
	if (emitter->plan)
		vector_push(&emitter->plan->steps, ((struct plan_step){
							   .kind = (uint16_t)(kind & 7),
							   .original = original & 15,
							   .code = code & 511,
						   }));
}

void step_add(struct emitter *emitter, enum plan_step_kind kind, unsigned original,
	      size_t from)
{
	add(emitter, kind, original, (unsigned)(emitter->count - from));
}

void step_add_pair(struct emitter *emitter, unsigned length)
{
	const unsigned sizes[] = {LENGTH_PAIR_BRANCH, 1, length - LENGTH_PAIR_BRANCH - 1};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		add(emitter, PLAN_STEP_MOVED, sizes[i], sizes[i]);
}

void step_add_away(struct emitter *emitter, int64_t distance)
{
	while (distance) {
		int64_t part = distance > PLAN_STEP_FAR    ? PLAN_STEP_FAR
			       : distance < -PLAN_STEP_FAR ? -PLAN_STEP_FAR
							   : distance;

		add(emitter, PLAN_STEP_AWAY, (unsigned)part, (unsigned)part >> 4);
		distance -= part;
	}
}
