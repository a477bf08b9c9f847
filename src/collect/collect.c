#include "collect/collect.h"

#include "base/text.h"

#include <string.h>

const struct collector *const collectors[] = {
	&collector_functions,
	&collector_coverage,
	&collector_blocks,
	&collector_block_coverage,
	&collector_edges,
	&collector_pbo,
	NULL,
};

struct trm_error *collector_find(const char *name, const struct collector **ret_collector)
{
	const struct collector *nearest = collectors[0];

	for (const struct collector *const *c = collectors; *c; c++) {
		if (!strcmp((*c)->name, name)) {
			*ret_collector = *c;
			return NULL;
		}
		if (text_distance((*c)->name, name) < text_distance(nearest->name, name))
			nearest = *c;
	}
	return trm_error_create(
		TRM_ERROR_USAGE,
		"\"%s\" is no measurement: did you mean \"%s\"? See 'trammel "
		"help run'.",
		name, nearest->name);
}
