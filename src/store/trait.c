#include "store/trait.h"

#include "base/array.h"
#include "record/model.h"

#include <string.h>

static const struct {
	const char *name;
	struct trait trait;
} rows[] = {
	{"image", {TRAIT_IMAGE, TRAIT_PLAIN, 0}},
	{"thread", {TRAIT_THREAD, TRAIT_PLAIN, 0}},
	{"interval", {TRAIT_INTERVAL, TRAIT_PLAIN, 0}},
	{"run", {TRAIT_APART, TRAIT_PLAIN, 0}},
	{"time.offset.ns", {TRAIT_APART, TRAIT_PLAIN, 0}},
	{"event", {TRAIT_KEY, TRAIT_EVENT, 0}},
	{"offset", {TRAIT_KEY, TRAIT_OFFSET, 1}},
	{"path.in", {TRAIT_KEY, TRAIT_PLAIN, 2}},
	{"arc.site", {TRAIT_KEY, TRAIT_PLAIN, 2}},
	{"block", {TRAIT_KEY, TRAIT_BLOCK, 3}},
	{"edge", {TRAIT_KEY, TRAIT_EDGE, 3}},
	{"code.address", {TRAIT_KEY, TRAIT_PLAIN, 4}},
	{"sample.address", {TRAIT_KEY, TRAIT_PLAIN, 4}},
	{"block.instructions", {TRAIT_KEY, TRAIT_WEIGHT, 0}},
	/* Numbers, also where they are not marked as such. */
	{"calls", {TRAIT_NUMBER, TRAIT_PLAIN, 0}},
	{"count", {TRAIT_NUMBER, TRAIT_PLAIN, 0}},
	{"arc.count", {TRAIT_NUMBER, TRAIT_PLAIN, 0}},
	{"graph.calls", {TRAIT_NUMBER, TRAIT_PLAIN, 0}},
	{"path.count", {TRAIT_NUMBER, TRAIT_PLAIN, 0}},
	{"time.ns", {TRAIT_NUMBER, TRAIT_PLAIN, 0}},
	{"samples", {TRAIT_NUMBER, TRAIT_PLAIN, 0}},
	{"sample.events", {TRAIT_NUMBER, TRAIT_PLAIN, 0}},
};

struct trait trait_find(const struct record_model *model, record_attribute attribute)
{
	const char *name = record_attribute_name(model, attribute);
	enum record_type type = record_attribute_type(model, attribute);
	const bool number =
		type == RECORD_UINT || type == RECORD_INT || type == RECORD_DOUBLE;

	for (size_t i = 0; i < array_count(rows); i++)
		if (!strcmp(name, rows[i].name) &&
		    (number || rows[i].trait.role != TRAIT_NUMBER))
			return rows[i].trait;
	if (number && record_attribute_properties(model, attribute) & RECORD_AGGREGATABLE)
		return (struct trait){TRAIT_NUMBER, TRAIT_PLAIN, 0};
	return (struct trait){TRAIT_KEY, TRAIT_PLAIN, 0};
}

const char *const trait_fold_names[FOLD_COUNT] = {
	[FOLD_SUM] = "sum",
	[FOLD_MIN] = "min",
	[FOLD_MAX] = "max",
	[FOLD_KEEP] = "keep",
};

enum trait_fold trait_fold_of(const char *name)
{
	static const struct {
		const char *begin, *inside, *whole;
		enum trait_fold fold;
	} folds[] = {
		{"min#", "#min#", "probe.min", FOLD_MIN},
		{"max#", "#max#", "probe.max", FOLD_MAX},
		{"avg#", "#avg#", "probe.limit", FOLD_KEEP},
	};

	for (size_t i = 0; i < array_count(folds); i++)
		if (!strncmp(name, folds[i].begin, strlen(folds[i].begin)) ||
		    strstr(name, folds[i].inside) || !strcmp(name, folds[i].whole))
			return folds[i].fold;
	return FOLD_SUM;
}

int trait_is_sampled(const char *name)
{
	return !strcmp(name, "samples") ? 1 : !strcmp(name, "sample.events") ? 2 : 0;
}

void trait_name_event(const char *name, enum trait_mark about, const char *event,
		      struct text *ret_name)
{
	if (!strcmp(name, "count") && about == TRAIT_BLOCK)
		text_add(ret_name, "blocks");
	else if (!strcmp(name, "count") && about == TRAIT_EDGE)
		text_add(ret_name, "edges");
	else if (!strcmp(name, "sample.events") && event)
		text_add(ret_name, event);
	else if (!strcmp(name, "samples") && event)
		text_format(ret_name, "samples:%s", event);
	else
		text_add(ret_name, name);
}
