/* Values that are in force in traces: values of one thread, and values of the process,
 * which all threads share once one of them has set them. */
#ifndef TRAMMEL_CONTEXT_SHARED_H
#define TRAMMEL_CONTEXT_SHARED_H

#include "record/record.h"

#include "base/vector.h"

/* A value of the moment, as far as the trace told it. */
struct held {
	uint32_t attribute;
	uint64_t bits, since; /* ticks */
};

struct held_values VECTOR(struct held);

/* NULL: it is not set. */
struct held *held_find(const struct held_values *values, uint32_t attribute);

struct shared_value {
	uint32_t attribute, thread; /* numbers of the process; of who set it */
	struct record_value value;
};
struct shared_values VECTOR(struct shared_value);

/* Returns the value if another thread than this one set it last; else NULL. */
const struct shared_value *shared_find(const struct shared_values *values,
				       uint32_t attribute, uint32_t thread);
/* Records that the value was set or, with `value` NULL, ended. */
void shared_note(struct shared_values *values, uint32_t attribute, uint32_t thread,
		 const struct record_value *value);

#endif
