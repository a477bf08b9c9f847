#include "runtime/service/calls/openmp_library.h"
#include "runtime/store/state.h"

struct openmp_library openmp_library;

runtime_local struct openmp_own_place openmp_own_place;

static uint64_t types[4]; /* strings, by number of a thread's type */

void openmp_name_type(uint32_t type, uint64_t name)
{
	types[type] = name;
}

bool openmp_want(void)
{
	openmp_library.wanted = true;
	return !openmp_library.asked || openmp_library.heard;
}

struct openmp_place openmp_place(void)
{
	const struct openmp_own_place *own = &openmp_own_place;
	bool in_team = own->size != 0;

	return (struct openmp_place){in_team ? (int64_t)own->size : -1,
				     in_team ? (int64_t)own->number : -1,
				     types[own->type & 3]};
}
