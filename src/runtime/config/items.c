#include "runtime/config/items.h"
#include "runtime/channel/settings.h"
#include "runtime/config/complaints.h"

#include <string.h>
#include <strings.h>

/* Where a text is in words, quotes and parentheses. */
struct place {
	char quote; /* that is open; '\0': none */
	int depth;
	bool begins; /* a word does */
};

/* A character, or two where the first one takes the meaning of the second one. */
static const char *pass_item(const char *text, const char *end, struct place *place)
{
	bool begins = place->begins;

	place->begins = strchr("=,( \t\n", *text) != NULL;
	if (*text == '\\' && place->quote != '\'' && end - text > 1)
		return text + 2;
	if (place->quote)
		place->quote = *text == place->quote ? '\0' : place->quote;
	else if (*text == '"' || (*text == '\'' && begins))
		place->quote = *text;
	else
		place->depth += (*text == '(') - (*text == ')' && place->depth);
	return text + 1;
}

/* Where an item ends: at a comma outside of quotes and parentheses. */
static const char *end_of(const char *text, const char *end)
{
	struct place place = {.begins = true};

	while (text < end && (*text != ',' || place.depth || place.quote))
		text = pass_item(text, end, &place);
	if (text < end)
		return text;
	if (place.depth)
		complain("Expected ')'");
	else if (place.quote)
		complain("'%c' is missing at the end", place.quote);
	return end;
}

static void trim_blanks(const char **from, const char **end)
{
	while (*from < *end && strchr(" \t\n", **from))
		++*from;
	while (*from < *end && strchr(" \t\n", (*end)[-1]))
		--*end;
}

/* What stands in parentheses is read again as a list. */
static const char *keep_list(const char *from, const char *end)
{
	trim_blanks(&from, &end);
	if (end - from >= 2 && strchr("\"'", *from) && end[-1] == *from &&
	    !memchr(from + 1, *from, (size_t)(end - from - 2))) {
		from++;
		end--;
	}
	return settings_keep(from, (size_t)(end - from));
}

static const char *keep_word(const char *from, const char *end)
{
	char *word, *to;

	trim_blanks(&from, &end);
	if (end - from >= 2 && *from == '\'' && end[-1] == '\'')
		return settings_keep(from + 1, (size_t)(end - from - 2));
	word = to = settings_keep(from, (size_t)(end - from));
	for (; word && from < end; from++) {
		if (*from == '\\' && end - from > 1)
			*to++ = *++from;
		else if (*from != '"')
			*to++ = *from;
	}
	if (word)
		*to = '\0';
	return word;
}

static void split_item(struct items *items, const char *from, const char *end)
{
	struct item *item = &items->items[items->count];
	struct place place = {.begins = true};
	const char *at = from;

	while (at < end && ((*at != '=' && *at != '(') || place.quote))
		at = pass_item(at, end, &place);
	*item = (struct item){.name = keep_word(from, at)};
	if (!item->name || (!*item->name && at == end)) {
		items->has_empty = true;
		return;
	}
	if (at < end && *at == '(') {
		const char *close = memrchr(at, ')', (size_t)(end - at));

		item->called = true;
		item->value = keep_list(at + 1, close ? close : end);
	} else if (at < end) {
		item->value = keep_word(at + 1, end);
		item->lacks =
			strspn(at + 1, " \t\n") >= (size_t)(end - at - 1) ? at : NULL;
	}
	items->count++;
}

void items_split(const char *text, struct items *items)
{
	const char *begin = text, *end = text + strlen(text), *next;

	*items = (struct items){0};
	for (; text < end && items->count < ITEMS_MAX; text = next + 1) {
		next = end_of(text, end);
		split_item(items, text, next);
	}
	items->has_empty |= text == end && end > begin;
	if (text < end)
		complain("there is no room for more than %d at once: '%.32s' is left out",
			 ITEMS_MAX, text);
}

bool item_is_off(const struct item *item)
{
	return item->value && word_is_off(item->value);
}

bool item_is_on(const struct item *item)
{
	return !item->value || word_is_on(item->value);
}

const struct item *items_find(const struct items *items, const char *name)
{
	for (size_t i = 0; i < items->count; i++)
		if (!strcmp(items->items[i].name, name))
			return &items->items[i];
	return NULL;
}

const char *items_value(const struct items *items, const char *name)
{
	const struct item *item = items_find(items, name);

	return item ? item->value : NULL;
}
