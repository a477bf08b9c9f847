/* The spool's file: made, mapped piece by piece, given out in blocks. */
#include "runtime/store/spool.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
	SEGMENT = RUNTIME_SEGMENT,
	SEGMENT_BLOCKS = SEGMENT / CONTEXT_BLOCK,
	SEGMENTS_MAX = RUNTIME_SEGMENTS_MAX,
	/* Of the first segment, that are written when the file is made: the most
	 * processes need no more. */
	FIRST_BLOCKS = 64,
	/* Whose pages are asked for at a time. */
	READY_BLOCKS = 32,
};

static struct {
	struct runtime_lock lock;
	char path[4096];
	uint64_t segment_count, segments_max;
	uint64_t blocks; /* that were given out; the file says it, too, for readers, and
			    the parent's goes on after a fork */
	struct context_block *free, *free_runs; /* of 1, of SPOOL_RUN */
	uint64_t ready;   /* blocks in front of this one, and not before `blocks`, have
			     their pages */
	uint32_t threads; /* that have a record */
	bool in_memory;   /* there is no file */
	bool left;        /* the first segment, where that could be */
	uint64_t gap;     /* the first of its blocks that are not used; 0: all are */
} spool;

char *runtime_segments[RUNTIME_SEGMENTS_MAX];

struct context_spool *runtime_spool;

/* The file is as long as it may become: it has holes, and a longer one would kill the
 * program where RLIMIT_FSIZE forbids it. */
static uint64_t longest_segment(void)
{
	struct rlimit limit;
	uint64_t segments = SEGMENTS_MAX;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur / SEGMENT < segments)
		segments = limit.rlim_cur / SEGMENT;
	return segments;
}

/* Pages that cannot be had (a full disk) must be known before they are touched. */
static bool has_pages(void *memory, size_t size)
{
	return !madvise(memory, size, MADV_POPULATE_WRITE) || errno == EINVAL;
}

/*
 * Pages of a file are dear one by one (2 to 4 us each, and the first brings as much of a
 * hole into memory as the kernel reads ahead). So the first ones are written while there
 * is a descriptor, no others are read ahead, and later segments are huge pages where the
 * file system has such.
 */
static void write_ahead(int fd)
{
	static const char none[CONTEXT_BLOCK];
	struct iovec blocks[FIRST_BLOCKS];

	for (int i = 0; i < FIRST_BLOCKS; i++)
		blocks[i] = (struct iovec){(void *)(uintptr_t)none, sizeof(none)};
	/* What a full disk has no room for is found missing when it is needed. */
	(void)!pwritev(fd, blocks, FIRST_BLOCKS, 0);
}

static void advise_segment(char *segment, uint64_t index)
{
	madvise(segment, SEGMENT, index ? MADV_HUGEPAGE : MADV_RANDOM);
}

static char *map_first(int fd)
{
	char *memory;

	spool.segments_max = fd < 0 ? SEGMENTS_MAX : longest_segment();
	if (fd < 0)
		return runtime_map(SEGMENT);
	if (!spool.segments_max || ftruncate(fd, (off_t)(spool.segments_max * SEGMENT)))
		return NULL;
	write_ahead(fd);
	memory = mmap(NULL, SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	advise_segment(memory, 0);
	if (has_pages(memory, CONTEXT_HEAD_BLOCKS * CONTEXT_BLOCK))
		return memory;
	munmap(memory, SEGMENT);
	return NULL;
}

/* A page at a time would take a system call each. Where not all can be had, those do that
 * are needed. */
static bool make_ready(uint64_t at, uint64_t run)
{
	uint64_t end = at - at % SEGMENT_BLOCKS +
		       (at < FIRST_BLOCKS ? FIRST_BLOCKS : SEGMENT_BLOCKS);
	uint64_t most = at + (run < READY_BLOCKS ? READY_BLOCKS : run);

	if (at + run <= spool.ready)
		return true;
	if (runtime_sealed)
		return false;
	most = most < end ? most : end;
	if (most < at + run || !has_pages(spool_at(at), (most - at) * CONTEXT_BLOCK)) {
		most = at + run;
		if (!has_pages(spool_at(at), run * CONTEXT_BLOCK))
			return false;
	}
	spool.ready = most;
	return true;
}

/* The next piece: a second mapping of the last one that is twice as long, of which the
 * latter half is kept. No descriptor is needed, so none stays open in the program. */
static bool map_next(void)
{
	char *memory;

	if (runtime_sealed || spool.segment_count == spool.segments_max ||
	    !memory_is_modest((spool.segment_count + 1) * SEGMENT))
		return false;
	if (spool.in_memory) {
		memory = runtime_map(SEGMENT);
		if (memory)
			runtime_segments[spool.segment_count++] = memory;
		return memory != NULL;
	}
	memory = mremap(runtime_segments[spool.segment_count - 1], 0, 2 * SEGMENT,
			MREMAP_MAYMOVE);
	if (memory == MAP_FAILED)
		return false;
	munmap(memory, SEGMENT);
	memory += SEGMENT;
	/* What it has from the one in front of it, the first one, does not fit. */
	madvise(memory, SEGMENT, MADV_NORMAL);
	advise_segment(memory, spool.segment_count);
	runtime_segments[spool.segment_count++] = memory;
	return true;
}

static void fill_head(struct context_block *block, enum context_block_kind kind,
		      uint32_t owner, uint32_t run)
{
	block->run = run;
	block->owner = owner;
	block->used = 0;
	block->order = 0;
	block->link = 0;
	block->address = (uintptr_t)block;
	__atomic_store_n(&block->kind, kind, __ATOMIC_RELEASE);
}

static void begin_head(uint64_t blocks)
{
	fill_head(&runtime_spool->head, CONTEXT_HEAD, 0, CONTEXT_HEAD_BLOCKS);
	memcpy(runtime_spool->magic, CONTEXT_MAGIC, sizeof(runtime_spool->magic));
	runtime_spool->version = CONTEXT_VERSION;
	runtime_spool->blocks = blocks;
}

static int create_spool(const char *folder)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(spool.path, sizeof(spool.path), "%s/%d.%lld%09ld.context", folder,
		 (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
	return open(spool.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

const char *spool_path(void)
{
	return spool.path;
}

bool spool_open(const char *folder)
{
	int fd = folder ? create_spool(folder) : -1;
	char *memory = fd < 0 && folder ? NULL : map_first(fd);

	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !memory)
		unlink(spool.path);
	if (!memory)
		return false;
	spool.in_memory = !folder;
	runtime_segments[0] = memory;
	spool.segment_count = 1;
	spool.blocks = CONTEXT_HEAD_BLOCKS;
	runtime_spool = (struct context_spool *)(void *)memory;
	begin_head(spool.blocks);
	return true;
}

/* What a child of fork writes in its own file for a block: what strings and attributes
 * are stays as it is, and the head is begun anew. NULL: nothing. */
static const void *is_kept(const struct context_block *block)
{
	static const char none[CONTEXT_HEAD_BLOCKS * CONTEXT_BLOCK];

	if (block == &runtime_spool->head)
		return none;
	return block->kind == CONTEXT_STRINGS || block->kind == CONTEXT_ATTRIBUTES ? block
										   : NULL;
}

static bool write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
	return pwrite(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* The file's segment takes the place of what is in memory. */
static bool map_over(int fd, uint64_t index)
{
	if (mmap(runtime_segments[index], SEGMENT, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, (off_t)(index * SEGMENT)) == MAP_FAILED)
		return false;
	advise_segment(runtime_segments[index], index);
	return true;
}

/* Copies what is kept of a segment, and maps the copy in its place; a segment of which
 * nothing is kept goes, but for the last one, which is filled further. */
static bool replace_segment(int fd, uint64_t index)
{
	char *segment = runtime_segments[index];
	bool any = index + 1 == spool.segment_count || !index;

	for (uint64_t i = 0, run; i < SEGMENT_BLOCKS; i += run) {
		const struct context_block *block =
			(const void *)(segment + i * CONTEXT_BLOCK);
		const void *bytes;
		size_t size;

		if (index * SEGMENT_BLOCKS + i >= spool.blocks ||
		    (!index && i && i == spool.gap))
			break;
		run = block->run ? block->run : 1;
		bytes = is_kept(block);
		if (!bytes)
			continue;
		size = run * CONTEXT_BLOCK;
		if (!write_at(fd, bytes, size, index * SEGMENT + i * CONTEXT_BLOCK))
			return false;
		any = true;
	}
	if (!any) {
		munmap(segment, SEGMENT);
		runtime_segments[index] = NULL;
		return true;
	}
	return map_over(fd, index);
}

/* The first segment last: as long as it is the parent's, its head can be told what
 * failed.
 */
static bool replace_all(int fd)
{
	write_ahead(fd);
	for (uint64_t i = spool.segment_count; i > 0; i--)
		if (!replace_segment(fd, i - 1))
			return false;
	begin_head(spool.blocks);
	return true;
}

void spool_resume(void)
{
	spool.lock.taken = 0;
	lock_resume();
}

bool spool_copy(const char *folder)
{
	int fd = spool.in_memory ? -1 : create_spool(folder);
	uint64_t most = longest_segment();
	bool copied;

	spool_resume();
	if (spool.in_memory) /* the child has its own */
		return true;
	spool.free = spool.free_runs = NULL;
	spool.threads = 0;
	spool.ready = 0;
	if (most < spool.segments_max)
		spool.segments_max = most;
	copied = fd >= 0 && spool.segment_count <= spool.segments_max &&
		 !ftruncate(fd, (off_t)(spool.segments_max * SEGMENT)) && replace_all(fd);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !copied)
		unlink(spool.path);
	return copied;
}

/* All but what other processes' blocks leave between them. The first segment last: until
 * then nothing has changed. */
static bool move_all(int fd)
{
	uint64_t most = longest_segment(), left = spool.blocks;

	if (spool.segment_count > most || ftruncate(fd, (off_t)(most * SEGMENT)))
		return false;
	write_ahead(fd);
	for (uint64_t i = 0; i < spool.segment_count; i++) {
		uint64_t count = left < SEGMENT_BLOCKS ? left : SEGMENT_BLOCKS;

		if (!write_at(fd, runtime_segments[i], count * CONTEXT_BLOCK,
			      i * SEGMENT))
			return false;
		left -= count;
	}
	for (uint64_t i = spool.segment_count; i > 0; i--)
		if (!map_over(fd, i - 1))
			return false;
	spool.segments_max = most;
	spool.ready = 0;
	return true;
}

bool spool_move(const char *folder, uint32_t threads)
{
	bool moved = false;
	int saved = errno, fd;

	runtime_lock(&spool.lock);
	if (spool.in_memory && spool.threads <= threads) {
		fd = create_spool(folder);
		moved = fd >= 0 && move_all(fd);
		if (fd >= 0)
			close(fd);
		if (fd >= 0 && !moved)
			unlink(spool.path);
		spool.in_memory = !moved;
	}
	runtime_unlock(&spool.lock);
	errno = saved;
	return moved;
}

static void push_free(struct context_block *block)
{
	struct context_block **list = block->run == 1 ? &spool.free : &spool.free_runs;

	__atomic_store_n(&block->kind, CONTEXT_FREE, __ATOMIC_RELEASE);
	block->order = (uintptr_t)*list;
	*list = block;
}

/* What a run leaves at the end of a segment is for single blocks. */
static bool skip_to(uint64_t end)
{
	for (uint64_t at = spool.blocks; at < end; at++) {
		struct context_block *block = spool_at(at);

		if (!make_ready(at, 1))
			return false;
		fill_head(block, CONTEXT_FREE, 0, 1);
		block->number = at;
		spool.blocks = at + 1;
		__atomic_store_n(&runtime_spool->blocks, at + 1, __ATOMIC_RELEASE);
		push_free(block);
	}
	return true;
}

/* What was written ahead is used up: the rest of the first segment is only used where
 * there is no room for a second one. */
static bool leave_first(void)
{
	spool.left = true;
	if (!skip_to(FIRST_BLOCKS))
		return false;
	if (!map_next() || !has_pages(runtime_segments[1], CONTEXT_BLOCK))
		return true;
	spool.gap = spool.blocks;
	spool.blocks = SEGMENT_BLOCKS;
	return true;
}

/* Blocks at the end of the file, in one piece. */
static struct context_block *append_run(uint32_t run)
{
	uint64_t at, in_segment;
	struct context_block *block;

	if (run > SEGMENT_BLOCKS)
		return NULL;
	if (!spool.left && !spool.in_memory && spool.segment_count == 1 &&
	    spool.blocks + run > FIRST_BLOCKS && !leave_first())
		return NULL;
	at = spool.blocks;
	in_segment = at % SEGMENT_BLOCKS;
	if (in_segment + run > SEGMENT_BLOCKS) {
		at += SEGMENT_BLOCKS - in_segment;
		if (!skip_to(at))
			return NULL;
	}
	if (at == spool.segment_count * SEGMENT_BLOCKS && !map_next())
		return NULL;
	block = spool_at(at);
	if (!make_ready(at, run))
		return NULL;
	block->number = at;
	spool.blocks = at + run;
	__atomic_store_n(&runtime_spool->blocks, at + run, __ATOMIC_RELEASE);
	return block;
}

/* A block that was given back, all 0 again; NULL: there is none. */
static struct context_block *pop_free(uint32_t run)
{
	struct context_block **list = run == 1           ? &spool.free
				      : run == SPOOL_RUN ? &spool.free_runs
							 : NULL;
	struct context_block *block = list ? *list : NULL;

	if (!block)
		return NULL;
	*list = (struct context_block *)(uintptr_t)block->order;
	memset(block + 1, 0, run * CONTEXT_BLOCK - sizeof(*block));
	return block;
}

struct context_block *spool_block(enum context_block_kind kind, uint32_t owner,
				  uint32_t run)
{
	int saved = errno;
	struct context_block *block = NULL;

	/* A child that has none of its own yet may not take from its parent's. */
	if (!runtime_spool || !runtime_state->recording)
		return NULL;
	runtime_lock(&spool.lock);
	/* A child knows by their numbers which strings and attributes are its own. */
	if (kind != CONTEXT_STRINGS && kind != CONTEXT_ATTRIBUTES)
		block = pop_free(run);
	if (!block)
		block = append_run(run);
	if (block)
		fill_head(block, kind, owner, run);
	spool.threads += block && kind == CONTEXT_THREAD;
	runtime_unlock(&spool.lock);
	errno = saved;
	return block;
}

void spool_release(struct context_block *block)
{
	int saved = errno;

	/* All of its segment: a huge page is mapped whole whenever a part is touched. */
	if (!spool.in_memory && !runtime_sealed)
		madvise(runtime_segments[block->number / SEGMENT_BLOCKS], SEGMENT,
			MADV_DONTNEED);
	errno = saved;
}

void spool_free(struct context_block *block)
{
	runtime_lock(&spool.lock);
	spool.threads -= block->kind == CONTEXT_THREAD;
	push_free(block);
	runtime_unlock(&spool.lock);
}

/* The head and the record say how much of the block counts, so they are read first. */
static void gather_block(char *to, const struct context_block *block, uint32_t run)
{
	const struct context_thread *record = (const void *)block;
	struct context_block head = *block;
	uint32_t nodes = head.kind == CONTEXT_THREAD
				 ? __atomic_load_n(&record->node_count, __ATOMIC_ACQUIRE)
				 : 0;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	memcpy(to + sizeof(head), block + 1, run * CONTEXT_BLOCK - sizeof(head));
	memcpy(to, &head, sizeof(head));
	if (head.kind == CONTEXT_THREAD)
		((struct context_thread *)(void *)to)->node_count = nodes;
}

/* From the file, since looking at holes of the mapping would make pages for them, for
 * which a full disk has no room. */
static bool gather_file(char *bytes, size_t size)
{
	int fd = spool.in_memory ? -1 : open(spool.path, O_RDONLY | O_CLOEXEC);
	size_t at = 0;
	ssize_t got = 1;

	for (; fd >= 0 && at < size && got > 0; at += (size_t)got)
		got = pread(fd, bytes + at, size - at, (off_t)at);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && got > 0;
}

void *spool_gather(size_t *ret_size)
{
	uint64_t count = __atomic_load_n(&runtime_spool->blocks, __ATOMIC_ACQUIRE);
	size_t size = count * CONTEXT_BLOCK;
	char *bytes = runtime_map(size);
	bool done = bytes && gather_file(bytes, size);

	for (uint64_t i = 0, run; bytes && !done && i < count; i += run) {
		bool gone =
			!runtime_segments[i / SEGMENT_BLOCKS] || (i && i == spool.gap);
		const struct context_block *block = gone ? NULL : spool_at(i);

		run = gone ? SEGMENT_BLOCKS - i % SEGMENT_BLOCKS
			   : block->run + !block->run;
		if (!gone)
			gather_block(bytes + i * CONTEXT_BLOCK, block, (uint32_t)run);
	}
	*ret_size = size;
	return bytes;
}
