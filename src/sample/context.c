#include "sample/context.h"

#include "base/array.h"
#include "base/search.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void sample_contexts_keep(struct sample_contexts *contexts,
			  const struct sample_record *record,
			  const struct sample_sum *sum)
{
	if (contexts->kept.count >= SAMPLE_KEPT_MAX && contexts->place)
		contexts->place(contexts->sampler);
	vector_push(&contexts->kept,
		    ((struct sample_kept){record->pid, record->tid, record->time, *sum}));
}

static int compare_kept(const void *left, const void *right)
{
	const struct sample_kept *a = left, *b = right;

	return compare_numbers(a->pid, b->pid) ?: compare_numbers(a->tid, b->tid)
		?: compare_numbers(a->time, b->time);
}

void sample_contexts_sort(struct sample_contexts *contexts)
{
	if (contexts->kept.count)
		qsort(contexts->kept.items, contexts->kept.count,
		      sizeof(*contexts->kept.items), compare_kept);
}

struct sample_kept *sample_contexts_of(const struct sample_contexts *contexts,
				       uint32_t pid, uint32_t tid, size_t *ret_count)
{
	const struct sample_kept wanted = {.pid = pid, .tid = tid};
	const struct sample_kept *items = contexts->kept.items;
	const size_t from = search_first(contexts->kept.count, i,
					 compare_kept(&items[i], &wanted) < 0);
	size_t to = from;

	while (to < contexts->kept.count && items[to].pid == pid && items[to].tid == tid)
		to++;
	*ret_count = to - from;
	return contexts->kept.items + from;
}

uint32_t sample_contexts_number(struct sample_contexts *contexts, const char *text)
{
	uint64_t hash = hash_bytes(text, strlen(text)), number;

	if (!contexts->texts.count)
		vector_push(&contexts->texts, memory_copy_string("(none)"));
	if (!*text)
		return 0;
	for (; table_find(&contexts->by_text, hash, &number); hash++)
		if (!strcmp(contexts->texts.items[number], text))
			return (uint32_t)number;
	*table_insert(&contexts->by_text, hash, NULL) = contexts->texts.count;
	vector_push(&contexts->texts, memory_copy_string(text));
	return (uint32_t)contexts->texts.count - 1;
}

void sample_contexts_add(struct sample_contexts *contexts, struct sample_sums *sums)
{
	vector_for_each (&contexts->kept, kept)
		sample_sums_add(sums, &kept->sum);
	contexts->kept.count = 0;
}

void sample_contexts_deinit(struct sample_contexts *contexts)
{
	vector_for_each (&contexts->texts, text)
		free(*text);
	vector_deinit(&contexts->texts);
	vector_deinit(&contexts->kept);
	table_deinit(&contexts->by_text);
}
