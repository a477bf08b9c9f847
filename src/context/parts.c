#include "context/parts.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/search.h"
#include "context/recover.h"

#include <dirent.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

static struct context_moment moment_now(void)
{
	uint64_t now_ns = clock_now_ns();

	return (struct context_moment){__rdtsc(), now_ns};
}

uint64_t context_part_ticks(const struct context_process *process,
			    const struct context_moment *moment)
{
	return process->head->ticks_per_second ? moment->ns : moment->ticks;
}

static bool is_of(const struct context_part_spool *spool,
		  const struct context_process *process)
{
	const struct context_spool *head = process->head;

	return spool->pid == head->pid && spool->begin.ns == head->begin.ns &&
	       spool->begin.ticks == head->begin.ticks;
}

const struct context_part_spool *context_parts_of(const struct context_parts *parts,
						  const struct context_process *process)
{
	vector_for_each (&parts->spools, spool)
		if (is_of(spool, process))
			return spool;
	return NULL;
}

static struct context_part_spool *find_spool(struct context_parts *parts,
					     const struct context_process *process)
{
	struct context_part_spool *found;

	vector_for_each (&parts->spools, spool)
		if (is_of(spool, process))
			return spool;
	found = vector_add(&parts->spools);
	found->pid = process->head->pid;
	found->begin = process->head->begin;
	vector_add(&found->paths);
	return found;
}

static bool is_same(const struct context_part_path *a, const struct context_part_path *b)
{
	return a->parent == b->parent && a->attribute == b->attribute &&
	       a->bits == b->bits && a->metric == b->metric;
}

/* The index of a path of another thread, or tree; below one of ours. */
static uint32_t intern_path(struct context_part_spool *spool, uint32_t parent,
			    const struct context_path *path)
{
	const struct context_part_path wanted = {
		parent, path->attribute, path->metric ? 0 : path->bits, path->metric};
	const uint64_t words[] = {parent, wanted.attribute, wanted.bits, wanted.metric};
	uint64_t key = hash_bytes(words, sizeof(words)), *index;
	bool new;

	for (;; key++) {
		index = table_insert(&spool->by_hash, key, &new);
		if (new)
			break;
		if (is_same(&spool->paths.items[*index], &wanted))
			return (uint32_t)*index;
	}
	*index = spool->paths.count;
	vector_push(&spool->paths, wanted);
	return (uint32_t)*index;
}

/* Our indices of a thread's paths. */
static uint32_t *intern_all(struct context_part_spool *spool,
			    const struct context_known_thread *thread)
{
	uint32_t *indices =
		memory_allocate_zeroed(thread->paths.count + 1, sizeof(*indices));

	for (size_t i = 1; i < thread->paths.count; i++)
		indices[i] = intern_path(spool, indices[thread->paths.items[i].parent],
					 &thread->paths.items[i]);
	return indices;
}

static void add_sums(struct context_part_marks *sums, uint32_t thread, uint32_t tid,
		     uint32_t path, const struct context_path *of)
{
	if (of->count || of->ticks)
		vector_push(sums,
			    ((struct context_part_sums){thread, tid, path, of->count,
							of->ticks, of->least, of->most}));
}

static void add_rows(struct context_part_marks *sums,
		     const struct context_process *process, const uint32_t *indices)
{
	const struct context_known_thread *ended = process->threads.items;

	vector_for_each (&process->rows, row) {
		struct context_path path = context_path_of_row(ended, row);

		add_sums(sums, row->thread, row->tid, indices[row->node], &path);
	}
}

COMPARE_BY_TWO(by_thread, struct context_part_sums, thread, path);

/* All that the process has by now. */
static struct context_part_marks read_sums(struct context_part_spool *spool,
					   const struct context_process *process)
{
	struct context_part_marks sums = {0};

	spool->alive.count = 0;
	for (uint32_t i = 0; i < process->threads.count; i++) {
		const struct context_known_thread *thread = &process->threads.items[i];
		uint32_t *indices = intern_all(spool, thread);

		if (thread->alive)
			vector_push(&spool->alive, i);
		for (size_t k = 0; k < thread->paths.count; k++)
			add_sums(&sums, i, thread->tid, indices[k],
				 &thread->paths.items[k]);
		if (!i)
			add_rows(&sums, process, indices);
		free(indices);
	}
	if (sums.count)
		qsort(sums.items, sums.count, sizeof(*sums.items), by_thread);
	return sums;
}

/* The time since the last event of each thread is that of what is open in it. */
static void add_waiting(struct context_process *process, const struct context_moment *now)
{
	uint64_t ticks = context_part_ticks(process, now);

	if (process->head->end.ticks || !context_is_running(process->head))
		return;
	vector_for_each (&process->threads, thread)
		if (thread->alive && thread->paths.count && ticks > thread->last)
			thread->paths.items[thread->current].ticks +=
				ticks - thread->last;
}

static uint64_t subtract_part(enum record_type type, uint64_t sum, uint64_t part)
{
	double a, b;

	if (type != RECORD_DOUBLE)
		return sum - part;
	memcpy(&a, &sum, sizeof(a));
	memcpy(&b, &part, sizeof(b));
	a -= b;
	memcpy(&sum, &a, sizeof(a));
	return sum;
}

static void take_away(const struct context_process *process,
		      const struct context_part_path *path,
		      const struct context_part_sums *mark, struct context_part_row *row)
{
	struct context_part_sums *sums = &row->sums;

	sums->count = sums->count > mark->count ? sums->count - mark->count : 0;
	row->bounded = false;
	if (path->metric)
		sums->ticks =
			subtract_part(process->attributes.items[path->attribute].type,
				      sums->ticks, mark->ticks);
	else
		sums->ticks = sums->ticks > mark->ticks ? sums->ticks - mark->ticks : 0;
}

/* What threads of high numbers had goes to one sum of all of them when they end, which is
 * that of thread 0: what is known of them, too. */
static void move_ended(struct context_part_spool *spool,
		       const struct context_part_marks *now)
{
	struct context_part_marks moved = {0};

	vector_for_each (&spool->mark, sums) {
		size_t at = search_first(now->count, middle,
					 by_thread(&now->items[middle], sums) < 0);

		if (sums->thread > CONTEXT_ROWS_MAX &&
		    (at == now->count || by_thread(&now->items[at], sums)))
			sums->thread = 0;
	}
	if (spool->mark.count)
		qsort(spool->mark.items, spool->mark.count, sizeof(*spool->mark.items),
		      by_thread);
	vector_for_each (&spool->mark, sums) {
		struct context_part_sums *last =
			moved.count ? &moved.items[moved.count - 1] : NULL;

		if (!last || by_thread(last, sums)) {
			vector_push(&moved, *sums);
			continue;
		}
		last->count += sums->count;
		last->ticks += sums->ticks;
	}
	vector_deinit(&spool->mark);
	spool->mark = moved;
}

/* Both are sorted. */
static void add_differences(struct context_part_spool *spool,
			    const struct context_process *process,
			    const struct context_part_marks *now, uint32_t interval)
{
	const struct context_part_sums *mark = spool->mark.items;
	const struct context_part_sums *end = mark + spool->mark.count;

	vector_for_each (now, sums) {
		struct context_part_row row = {*sums, interval, true};

		while (mark < end && by_thread(mark, sums) < 0)
			mark++;
		if (mark < end && !by_thread(mark, sums))
			take_away(process, &spool->paths.items[sums->path], mark, &row);
		if (row.sums.count ||
		    (row.sums.ticks && !spool->paths.items[sums->path].metric))
			vector_push(&spool->rows, row);
	}
}

static void take_spool(struct context_parts *parts, struct context_process *process,
		       uint32_t interval, const struct context_moment *now)
{
	struct context_part_spool *spool = find_spool(parts, process);

	add_waiting(process, now);
	struct context_part_marks sums = read_sums(spool, process);

	if (parts->open) {
		move_ended(spool, &sums);
		add_differences(spool, process, &sums, interval);
	}
	vector_deinit(&spool->mark);
	spool->mark = sums;
}

static void take_folder(struct context_parts *parts, const char *path, uint32_t interval,
			const struct context_moment *now)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		struct context_process process;
		struct text file = {0};
		struct trm_error *error;

		if (entry->d_name[0] == '.')
			continue;
		text_format(&file, "%s/%s", path, entry->d_name);
		error = context_process_init_trees(&process, file.data);
		text_deinit(&file);
		if (!error) {
			take_spool(parts, &process, interval, now);
			context_process_deinit(&process);
		}
		trm_error_destroy(error);
	}
	if (folder)
		closedir(folder);
}

void context_parts_take(struct context_parts *parts, const char *folder,
			uint32_t interval, bool open)
{
	const struct context_moment now = moment_now();

	take_folder(parts, folder, interval, &now);
	if (parts->open)
		parts->end = now;
	else if (open && !parts->start.ns)
		parts->start = now;
	parts->open = open;
}

bool context_part_alive(const struct context_part_spool *spool, uint32_t thread)
{
	vector_for_each (&spool->alive, number)
		if (*number == thread)
			return true;
	return false;
}

void context_parts_deinit(struct context_parts *parts)
{
	vector_for_each (&parts->spools, spool) {
		vector_deinit(&spool->paths);
		table_deinit(&spool->by_hash);
		vector_deinit(&spool->mark);
		vector_deinit(&spool->alive);
		vector_deinit(&spool->rows);
	}
	vector_deinit(&parts->spools);
}
