#include "report/function_index.h"

#include "base/cleanup.h"
#include "report/demangle.h"

struct key {
	uint64_t module, offset, name; /* name: number of the string */
};

static bool is_same(const struct report_profile *profile, uint64_t index,
		    const struct key *key)
{
	const struct report_function *function = &profile->functions.items[index];

	return function->module == key->module && function->offset == key->offset &&
	       function->name == profile->strings.strings[key->name];
}

/* A function that is not the first of its name; if it is new, it is the next one. */
static uint32_t find_namesake(const struct report_profile *profile,
			      struct report_function_index *functions,
			      const struct key *key)
{
	uint64_t hash = hash_bytes(key, sizeof(*key));
	bool new;
	uint64_t *index = table_insert(&functions->by_hash, hash, &new);

	for (; !new; index = table_insert(&functions->by_hash, ++hash, &new))
		if (is_same(profile, *index, key))
			return (uint32_t)*index;
	*index = profile->functions.count;
	return (uint32_t)*index;
}

uint32_t report_function_find(struct report_profile *profile,
			      struct report_function_index *functions, uint32_t module,
			      uint64_t offset, const char *name)
{
	scoped_free char *demangled = report_demangle(name);
	const struct key key = {
		module, offset,
		string_table_intern(&profile->strings, demangled ? demangled : name)};
	uint32_t index = (uint32_t)profile->functions.count;

	while (functions->first_by_name.count <= key.name)
		vector_push(&functions->first_by_name, 0);
	uint32_t *first = &functions->first_by_name.items[key.name];

	if (*first && is_same(profile, *first - 1, &key))
		return *first - 1;
	if (*first)
		index = find_namesake(profile, functions, &key);
	else
		*first = index + 1;
	if (index == profile->functions.count)
		vector_push(&profile->functions,
			    ((struct report_function){
				    .module = module,
				    .offset = offset,
				    .name = profile->strings.strings[key.name]}));
	return index;
}

void report_function_index_deinit(struct report_function_index *functions)
{
	vector_deinit(&functions->first_by_name);
	table_deinit(&functions->by_hash);
}
