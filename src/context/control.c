#include "context/control.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "context/recover.h"
#include "wire/context_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

/* Blocks of the file, to be written to. NULL: it cannot be had. */
static void *map_blocks(int fd, uint64_t number, size_t count)
{
	void *block = mmap(NULL, count * CONTEXT_BLOCK, PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, (off_t)(number * CONTEXT_BLOCK));

	return block == MAP_FAILED ? NULL : block;
}

/* One that was given back since is none. */
static void add_channel(struct context_control *control, int fd, uint64_t number)
{
	struct context_channel *channel = map_blocks(fd, number, 1);

	if (!channel)
		return;
	if (channel->head.kind == CONTEXT_CHANNEL && channel->head.channel)
		vector_push(&control->channels, channel);
	else
		munmap(channel, CONTEXT_BLOCK);
}

/* Heads are read, and not looked at in a mapping: the file has holes. */
static void find_channels(struct context_control *control, int fd)
{
	uint64_t count = __atomic_load_n(&control->head->blocks, __ATOMIC_ACQUIRE);

	for (uint64_t at = CONTEXT_HEAD_BLOCKS, run; at < count; at += run) {
		struct context_block head;

		if (pread(fd, &head, sizeof(head), (off_t)(at * CONTEXT_BLOCK)) !=
		    (ssize_t)sizeof(head))
			return;
		run = head.run ? head.run : 1;
		if (head.kind == CONTEXT_CHANNEL)
			add_channel(control, fd, at);
	}
}

static bool is_spool(const struct context_spool *head)
{
	return !memcmp(head->magic, CONTEXT_MAGIC, sizeof(head->magic)) &&
	       head->version == CONTEXT_VERSION;
}

struct trm_error *context_control_init(struct context_control *control, pid_t pid)
{
	scoped_free char *path = NULL;

	*control = (struct context_control){.pid = pid};
	TRM_TRY(context_spool_of(pid, &path));
	scoped_fd int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return trm_error_system(errno, "cannot write to '%s' of process %d", path,
					(int)pid);
	control->head = map_blocks(fd, 0, CONTEXT_HEAD_BLOCKS);
	if (!control->head)
		return trm_error_system(errno, "cannot map '%s'", path);
	if (!is_spool(control->head)) {
		context_control_deinit(control);
		return trm_error_create(TRM_ERROR_USAGE,
					"process %d has another version of libtrammel",
					(int)pid);
	}
	find_channels(control, fd);
	if (control->channels.count)
		return NULL;
	context_control_deinit(control);
	return trm_error_create(TRM_ERROR_USAGE,
				"process %d has no channels: start it with CALI_CONFIG "
				"or TRAMMEL_CONFIG",
				(int)pid);
}

void context_control_deinit(struct context_control *control)
{
	vector_for_each (&control->channels, channel)
		munmap(*channel, CONTEXT_BLOCK);
	vector_deinit(&control->channels);
	munmap(control->head, CONTEXT_HEAD_BLOCKS * CONTEXT_BLOCK);
}

bool context_control_is(const struct context_channel *channel, const char *name)
{
	return !name || !strncmp(channel->name, name, sizeof(channel->name));
}

struct trm_error *context_control_check(const struct context_control *control,
					const char *name)
{
	char nearest[CONTEXT_CHANNEL_NAME + 1] = "";
	size_t least = SIZE_MAX;

	vector_for_each (&control->channels, channel) {
		char other[CONTEXT_CHANNEL_NAME + 1] = "";
		size_t distance;

		if (context_control_is(*channel, name))
			return NULL;
		memcpy(other, (*channel)->name, CONTEXT_CHANNEL_NAME);
		distance = text_distance(other, name);
		if (distance < least)
			memcpy(nearest, other, sizeof(nearest));
		least = distance < least ? distance : least;
	}
	return trm_error_create(TRM_ERROR_USAGE,
				"process %d has no channel '%s': did you mean '%s'?",
				(int)control->pid, name, nearest);
}

/* By the clock that the process stamps events with. */
static uint64_t ticks_now(const struct context_spool *head)
{
	return head->ticks_per_second ? clock_now_ns() : __rdtsc();
}

void context_control_want(struct context_control *control, const char *name, bool stopped)
{
	uint64_t now = ticks_now(control->head);

	vector_for_each (&control->channels, channel) {
		if (!context_control_is(*channel, name))
			continue;
		__atomic_store_n(&(*channel)->wanted_ticks, now, __ATOMIC_SEQ_CST);
		__atomic_store_n(&(*channel)->wanted, stopped, __ATOMIC_SEQ_CST);
	}
	__atomic_store_n(&control->head->asked, 1, __ATOMIC_SEQ_CST);
}
