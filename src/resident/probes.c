/*
 * Actions of one-line probes that are more than an addition: sums by keys, strings, and
 * records. Called by the code of points with signals put off, on a stack of the thread's
 * own. Strings are read by loads that may fault: the tracer then has the thread go on
 * behind them.
 */
#include "resident/probes.h"

#include "resident/inside.h"

#include "wire/context.h"

#include <stdbool.h>
#include <stddef.h>

enum { STEPS_MAX = 64 }; /* rows of an index that are looked at */

struct checked_word {
	uint64_t word, failed;
};

/* In probes.S. */
struct checked_word resident_probe_load(uint64_t address);

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

/* Reads a string, as far as it is kept, word by word, since a word does not cross a page.
 * Returns its length; -1: it cannot be read. */
static int read_text(uint64_t address, char *text)
{
	int length = 0;

	for (;;) {
		struct checked_word at =
			resident_probe_load((address + (uint64_t)length) & ~7ull);
		unsigned int byte = (unsigned int)(address + (uint64_t)length) & 7;

		if (at.failed)
			return -1;
		for (; byte < 8; byte++) {
			char next = (char)(at.word >> byte * 8);

			if (!next || length == WIRE_PROBE_TEXT)
				return length;
			text[length++] = next;
		}
	}
}

static bool read_word(uint64_t address, uint64_t *word)
{
	const struct checked_word at = resident_probe_load(address);

	*word = at.word;
	return !at.failed;
}

/* Adds a number to a path; returns the new length, or -1: there is no room. */
static int add_number(char *path, int length, uint64_t number)
{
	do {
		if (length == WIRE_PROBE_PATH)
			return -1;
		path[length] = (char)(WIRE_PROBE_DIGIT | (number & 0x3f));
		number >>= WIRE_PROBE_DIGIT_BITS;
		if (!number)
			path[length] |= WIRE_PROBE_LAST_DIGIT;
		length++;
	} while (number);
	return length;
}

/* Writes the path of the region in which a thread is whose own record is at an address,
 * as struct context_thread. Returns its length; -1: it cannot be read, or is too long.
 * Nodes stay as they are while their thread lives. */
static int read_path(uint64_t thread, char *path)
{
	uint64_t node, parent, value, attribute;
	int length = 0;

	if (!thread)
		return 0;
	if (!read_word(thread + offsetof(struct context_thread, node), &node))
		return -1;
	while (node && length >= 0) {
		if (!read_word(node + offsetof(struct context_node, parent), &parent) ||
		    !read_word(node + offsetof(struct context_node, value), &value) ||
		    !read_word(node + offsetof(struct context_node, attribute),
			       &attribute))
			return -1;
		if (parent) /* it is not the root */
			length = add_number(path, length, (uint32_t)attribute);
		if (parent && length >= 0)
			length = add_number(path, length, value);
		node = parent;
	}
	return length;
}

static bool is_same(const char *text, const char *other, int length)
{
	for (int i = 0; i < length; i++)
		if (text[i] != other[i])
			return false;
	return !other[length];
}

/* The offset of a text among those kept, plus 1; 0: there is no room. */
static uint64_t keep_text(struct wire_probes *probes, const char *text, int length)
{
	uint64_t hash = (uint64_t)length, used = probes->texts_used;

	for (int i = 0; i < length; i++)
		hash = mix_word(hash, (unsigned char)text[i]);
	for (uint64_t step = 0; step < STEPS_MAX; step++) {
		uint32_t *row =
			&probes->text_index[(hash + step) % WIRE_PROBE_TEXT_INDEX];

		if (*row && is_same(text, probes->texts + *row - 1, length))
			return *row;
		if (*row)
			continue;
		if (used + (uint64_t)length + 1 > WIRE_PROBE_TEXTS)
			return 0;
		for (int i = 0; i < length; i++)
			probes->texts[used + (uint64_t)i] = text[i];
		*row = (uint32_t)used + 1;
		__atomic_store_n(&probes->texts_used, used + (uint64_t)length + 1,
				 __ATOMIC_RELEASE);
		return *row;
	}
	return 0;
}

/* Makes words that are texts their offsets. False: one cannot be read, or kept. */
static bool take_texts(struct wire_probes *probes, uint64_t shape)
{
	char text[WIRE_PROBE_PATH];
	uint32_t action = WIRE_PROBE_ACTION(shape);

	for (uint32_t i = 0; i < WIRE_PROBE_COUNT(shape); i++) {
		const bool path = WIRE_PROBE_IS_REGION(shape, i);

		if (!WIRE_PROBE_IS_TEXT(shape, i) && !path)
			continue;
		int length = path ? read_path(probes->words[i], text)
				  : read_text(probes->words[i], text);

		if (length < 0) {
			probes->errors[action]++;
			return false;
		}
		probes->words[i] = keep_text(probes, text, length);
		if (!probes->words[i]) {
			probes->lost[action]++;
			return false;
		}
	}
	return true;
}

static bool has_keys(const struct wire_probes *probes,
		     const struct wire_probe_entry *entry, uint32_t action)
{
	if (entry->action != action)
		return false;
	for (int i = 0; i < WIRE_PROBE_KEYS; i++)
		if (entry->keys[i] != probes->words[i])
			return false;
	return true;
}

/* A new entry, with rows if the action has some; NULL: there is no room. */
static struct wire_probe_entry *add_entry(struct wire_probes *probes, uint64_t shape)
{
	uint64_t used = probes->entries_used, rows = WIRE_PROBE_ROW_COUNT(shape);
	struct wire_probe_entry *entry = &probes->entries[used];

	if (used == WIRE_PROBE_ENTRIES || probes->rows_used + rows > WIRE_PROBE_ROWS)
		return NULL;
	entry->action = WIRE_PROBE_ACTION(shape);
	entry->rows = rows ? (uint32_t)probes->rows_used + 1 : 0;
	probes->rows_used += rows;
	for (int i = 0; i < WIRE_PROBE_KEYS; i++)
		entry->keys[i] = probes->words[i];
	__atomic_store_n(&probes->entries_used, used + 1, __ATOMIC_RELEASE);
	return entry;
}

static struct wire_probe_entry *find_entry(struct wire_probes *probes, uint64_t shape)
{
	uint64_t hash = WIRE_PROBE_ACTION(shape);

	for (uint32_t i = WIRE_PROBE_COUNT(shape); i < WIRE_PROBE_KEYS; i++)
		probes->words[i] = 0;
	for (int i = 0; i < WIRE_PROBE_KEYS; i++)
		hash = mix_word(hash, probes->words[i]);
	for (uint64_t step = 0; step < STEPS_MAX; step++) {
		uint32_t *row = &probes->index[(hash + step) % WIRE_PROBE_INDEX];
		struct wire_probe_entry *entry;

		if (!*row) {
			entry = add_entry(probes, shape);
			if (entry)
				*row = (uint32_t)probes->entries_used;
			return entry;
		}
		entry = &probes->entries[*row - 1];
		if (has_keys(probes, entry, WIRE_PROBE_ACTION(shape)))
			return entry;
	}
	return NULL;
}

static void add_to_entry(struct wire_probes *probes, uint64_t shape)
{
	struct wire_probe_entry *entry = find_entry(probes, shape);

	if (!entry) {
		probes->lost[WIRE_PROBE_ACTION(shape)]++;
		return;
	}
	entry->hits++;
	if (WIRE_PROBE_KIND(shape) == WIRE_PROBE_ADD)
		entry->value += probes->value;
	else if (probes->value > entry->value)
		entry->value = probes->value;
	if (entry->rows)
		probes->rows[entry->rows - 1 + probes->row]++;
}

static void add_record(struct wire_probes *probes, uint64_t shape)
{
	uint64_t used = probes->records_used;
	struct wire_probe_record *record = &probes->records[used];

	if (used == WIRE_PROBE_RECORDS) {
		probes->lost[WIRE_PROBE_ACTION(shape)]++;
		return;
	}
	record->action = WIRE_PROBE_ACTION(shape);
	record->count = WIRE_PROBE_COUNT(shape);
	for (uint32_t i = 0; i < record->count; i++)
		record->words[i] = probes->words[i];
	record->words[WIRE_PROBE_WORDS - 1] = probes->value;
	__atomic_store_n(&probes->records_used, used + 1, __ATOMIC_RELEASE);
}

void resident_probe(struct wire_probes *probes, uint64_t shape)
{
	if (!take_texts(probes, shape))
		return;
	if (WIRE_PROBE_KIND(shape) == WIRE_PROBE_TRACE)
		add_record(probes, shape);
	else
		add_to_entry(probes, shape);
}
