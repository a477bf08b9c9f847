#include "runtime/events/program_attributes.h"
#include "runtime/events/events.h"
#include "runtime/store/attributes.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"

static void lose_attribute(const char *name)
{
	struct context_spool *spool = runtime_spool;

	__atomic_add_fetch(attributes_can_be(name) ? &spool->lost_for_memory
						   : &spool->lost_for_name,
			   1, __ATOMIC_RELAXED);
}

trm_attribute program_attributes_make(const char *name, uint32_t type,
				      uint32_t properties)
{
	uint32_t number = attributes_find(name);

	if (likely(number) || !events_enter_event())
		return number;
	number = attributes_tell(name, type, properties & ~TRM_FOR_END_);
	if (!number && !(properties & TRM_FOR_END_))
		lose_attribute(name);
	events_leave();
	return number;
}
