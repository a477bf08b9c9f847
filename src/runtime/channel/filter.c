/*
 * Which regions' events count: EVENT_INCLUDE_REGIONS, EVENT_EXCLUDE_REGIONS and
 * EVENT_INCLUDE_BRANCHES. Each is a list of names, or one of match(glob,...),
 * startswith(text,...), regex(expression). A text is looked at once; then its verdict is
 * remembered.
 */
#include "runtime/channel/filter.h"
#include "runtime/channel/log.h"
#include "runtime/channel/settings.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/strings.h"

#include <fnmatch.h>
#include <regex.h>
#include <string.h>

enum { PATTERNS_MAX = 64, VERDICTS = 4096 };

enum pattern_kind { IS, STARTS, GLOB, REGEX };
enum pattern_list { INCLUDED, EXCLUDED, BRANCH, LISTS };

struct pattern {
	enum pattern_kind kind;
	enum pattern_list list;
	const char *text;
	regex_t regex;
};

struct filter {
	struct pattern patterns[PATTERNS_MAX];
	uint32_t count;
	bool has[LISTS];
	/* By the place of the text in the spool: the place, and a bit for each list. */
	uint64_t verdicts[VERDICTS];
};

static bool matches_pattern(const struct pattern *pattern, const char *text)
{
	switch (pattern->kind) {
	case STARTS:
		return !strncmp(text, pattern->text, strlen(pattern->text));
	case GLOB:
		return !fnmatch(pattern->text, text, 0);
	case REGEX:
		return !regexec(&pattern->regex, text, 0, NULL, 0);
	default:
		return !strcmp(text, pattern->text);
	}
}

/* The lists of which a pattern fits: bits. */
static uint64_t verdict_on(struct filter *filter, uint64_t place)
{
	uint64_t *slot = &filter->verdicts[place / 8 % VERDICTS];
	uint64_t known = __atomic_load_n(slot, __ATOMIC_RELAXED), bits = 0;

	if (known >> LISTS == place)
		return known;
	for (uint32_t i = 0; i < filter->count; i++)
		if (matches_pattern(&filter->patterns[i], strings_at(place)->bytes))
			bits |= 1u << filter->patterns[i].list;
	__atomic_store_n(slot, place << LISTS | bits, __ATOMIC_RELAXED);
	return bits;
}

static bool is_in_branch(struct filter *filter, const struct context_node *node)
{
	for (; node->parent; node = node->parent)
		if (attributes_get(node->attribute)->type == TRM_TYPE_STRING &&
		    verdict_on(filter, node->value) & 1u << BRANCH)
			return true;
	return false;
}

bool filter_passes(struct filter *filter, const struct context_node *node)
{
	uint64_t verdict;

	if (!node->parent)
		return true;
	if (filter->has[BRANCH] && !is_in_branch(filter, node))
		return false;
	if (attributes_get(node->attribute)->type != TRM_TYPE_STRING)
		return true;
	verdict = verdict_on(filter, node->value);
	if (verdict & 1u << EXCLUDED)
		return false;
	return !filter->has[INCLUDED] || verdict & 1u << INCLUDED;
}

bool filter_passes_value(struct filter *filter, const struct context_node *node)
{
	return !filter->has[BRANCH] || is_in_branch(filter, node);
}

static void add_pattern(struct filter *filter, enum pattern_list list,
			enum pattern_kind kind, const char *text, size_t length)
{
	struct pattern *pattern = &filter->patterns[filter->count];

	while (length && strchr(" \"'", text[length - 1]))
		length--;
	while (length && strchr(" \"'", *text)) {
		text++;
		length--;
	}
	if (length && filter->count == PATTERNS_MAX)
		log_warn("'%.*s' is left out: there is no room for more than %d "
			 "names of regions",
			 (int)length, text, PATTERNS_MAX);
	if (!length || filter->count == PATTERNS_MAX)
		return;
	pattern->text = settings_keep(text, length);
	pattern->kind = kind;
	pattern->list = list;
	if (!pattern->text)
		return;
	if (kind == REGEX &&
	    regcomp(&pattern->regex, pattern->text, REG_EXTENDED | REG_NOSUB)) {
		log_warn("'%s' is not a regular expression", pattern->text);
		return;
	}
	filter->has[list] = true;
	filter->count++;
}

static void add_list(struct filter *filter, enum pattern_list list,
		     enum pattern_kind kind, const char *text, size_t length)
{
	for (size_t i = 0, from = 0; i <= length; i++) {
		if (i < length && (text[i] != ',' || kind == REGEX))
			continue;
		add_pattern(filter, list, kind, text + from, i - from);
		from = i + 1;
	}
}

static void add_all(struct filter *filter, enum pattern_list list, const char *text)
{
	static const struct {
		const char *name;
		enum pattern_kind kind;
	} functions[] = {{"match(", GLOB}, {"startswith(", STARTS}, {"regex(", REGEX}};

	while (*text) {
		enum pattern_kind kind = IS;
		size_t length = strcspn(text, ",");

		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
			size_t name = strlen(functions[i].name);
			const char *end = strrchr(text, ')');

			if (strncmp(text, functions[i].name, name) || !end)
				continue;
			kind = functions[i].kind;
			if (kind != REGEX)
				end = strchr(text, ')');
			text += name;
			length = (size_t)(end - text);
		}
		add_list(filter, list, kind, text, length);
		text += length + (kind != IS);
		text += *text == ',';
	}
}

/* By list. */
static struct filter *create_filter(const char *const texts[LISTS])
{
	struct filter *filter = NULL;

	for (int i = 0; i < LISTS; i++) {
		if (!texts[i] || !*texts[i])
			continue;
		if (!filter)
			filter = runtime_map(sizeof(*filter));
		if (filter)
			add_all(filter, (enum pattern_list)i, texts[i]);
	}
	return filter;
}

struct filter *filter_create(const struct settings *settings)
{
	const char *const texts[LISTS] = {
		[INCLUDED] = settings_get(settings, "EVENT_INCLUDE_REGIONS"),
		[EXCLUDED] = settings_get(settings, "EVENT_EXCLUDE_REGIONS"),
		[BRANCH] = settings_get(settings, "EVENT_INCLUDE_BRANCHES"),
	};

	return create_filter(texts);
}

struct filter *filter_create_of(const char *included, const char *excluded)
{
	const char *const texts[LISTS] = {[INCLUDED] = included, [EXCLUDED] = excluded};

	return create_filter(texts);
}
