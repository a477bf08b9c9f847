#include "context/shared.h"

struct held *held_find(const struct held_values *values, uint32_t attribute)
{
	vector_for_each (values, held)
		if (held->attribute == attribute)
			return held;
	return NULL;
}

const struct shared_value *shared_find(const struct shared_values *values,
				       uint32_t attribute, uint32_t thread)
{
	vector_for_each (values, value)
		if (value->attribute == attribute && value->thread != thread)
			return value;
	return NULL;
}

void shared_note(struct shared_values *values, uint32_t attribute, uint32_t thread,
		 const struct record_value *value)
{
	size_t at = 0;

	while (at < values->count && values->items[at].attribute != attribute)
		at++;
	if (at < values->count)
		vector_remove_swap(values, at);
	if (value)
		vector_push(values, ((struct shared_value){attribute, thread, *value}));
}
