#include "runtime/channel/items.h"

#include "runtime/channel/complaints.h"
#include "runtime/channel/settings.h"

#include <string.h>
#include <strings.h>

/* Where an item ends: at a comma outside of quotes and parentheses. */
static const char *end_of(const char *text, const char *end)
{
	int depth = 0;
	char quote = '\0';

	for (; text < end; text++) {
		if (quote)
			quote = *text == quote ? '\0' : quote;
		else if (*text == '"' || *text == '\'')
			quote = *text;
		else if (*text == ',' && !depth)
			break;
		else
			depth += (*text == '(') - (*text == ')' && depth);
	}
	if (text == end && (depth || quote))
		complain("'%c' is missing at the end", depth ? ')' : quote);
	return text;
}

static const char *keep_part(const char *from, const char *end)
{
	while (from < end && strchr(" \t\n", *from))
		from++;
	while (from < end && strchr(" \t\n", end[-1]))
		end--;
	if (end - from >= 2 && strchr("\"'", *from) && end[-1] == *from) {
		from++;
		end--;
	}
	return settings_keep(from, (size_t)(end - from));
}

static void split_item(struct items *items, const char *from, const char *end)
{
	struct item *item = &items->items[items->count];
	const char *at = from;

	while (at < end && *at != '=' && *at != '(')
		at++;
	*item = (struct item){.name = keep_part(from, at)};
	if (!item->name || (!*item->name && at == end))
		return;
	if (at < end && *at == '(') {
		const char *close = memrchr(at, ')', (size_t)(end - at));

		item->called = true;
		item->value = keep_part(at + 1, close ? close : end);
	} else if (at < end) {
		item->value = keep_part(at + 1, end);
	}
	items->count++;
}

void items_split(const char *text, struct items *items)
{
	const char *end = text + strlen(text), *next;

	items->count = 0;
	for (; text < end && items->count < ITEMS_MAX; text = next + 1) {
		next = end_of(text, end);
		split_item(items, text, next);
	}
	if (text < end)
		complain("there is no room for more than %d at once: '%.32s' is left out",
			 ITEMS_MAX, text);
}

static bool is_among(const char *value, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(value, *words))
			return true;
	return false;
}

bool word_is_off(const char *word)
{
	static const char *const words[] = {"false", "off", "no", "f", "0", NULL};

	return is_among(word, words);
}

bool word_is_on(const char *word)
{
	static const char *const words[] = {"true", "on", "yes", "t", "1", NULL};

	return is_among(word, words);
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
