#include "stacks/thread.h"

#include "base/cleanup.h"
#include "base/table.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, LINE = 512 };

const char *const stacks_state_names[STACKS_STATES] = {"running", "waiting", "blocked",
						       "stopped"};

/* Reads a small file of a thread as text. Returns its length; 0: there is none. */
static size_t read_file(uint32_t pid, uint32_t tid, const char *name, char text[LINE])
{
	char path[64];
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", pid, tid,
		 name);
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	got = fd < 0 ? 0 : read(fd, text, LINE - 1);
	if (got < 0)
		got = 0;
	text[got] = '\0';
	return (size_t)got;
}

size_t stacks_read_memory(uint32_t tid, uint64_t address, void *bytes, size_t size)
{
	/* The kernel reads each part whole or not at all: a part ends with a page. */
	size_t done = 0;

	while (done < size) {
		struct iovec to[16], from[16];
		size_t parts = 0, asked = 0;

		for (; parts < 16 && done + asked < size; parts++) {
			const uint64_t at = address + done + asked;
			size_t part = PAGE - at % PAGE;

			if (part > size - done - asked)
				part = size - done - asked;
			to[parts] = (struct iovec){(char *)bytes + done + asked, part};
			from[parts] = (struct iovec){(void *)(uintptr_t)at, part};
			asked += part;
		}
		const ssize_t got =
			process_vm_readv((pid_t)tid, to, parts, from, parts, 0);

		if (got <= 0)
			break;
		done += (size_t)got;
		if ((size_t)got < asked)
			break;
	}
	return done;
}

/* The state's letter and the name of a line of stat: a name may have anything in it. */
static char read_state(char *line, char name[STACKS_NAME])
{
	char *begin = strchr(line, '('), *end = strrchr(line, ')');

	if (!begin || !end || end < begin || !end[1])
		return 'X';
	*end = '\0';
	snprintf(name, STACKS_NAME, "%s", begin + 1);
	return end[2];
}

/* What the file `syscall` says. False: the thread runs, or is not told of. */
static bool read_call(const char *line, struct stacks_call *ret_call)
{
	struct stacks_call call = {.number = -1};
	char *end;

	call.number = strtoll(line, &end, 10);
	if (end == line)
		return false;
	for (int i = 0; call.number >= 0 && i < STACKS_ARGUMENTS; i++)
		call.arguments[i] = strtoull(end, &end, 16);
	call.rsp = strtoull(end, &end, 16);
	call.pc = strtoull(end, &end, 16);
	*ret_call = call;
	return call.rsp && call.pc;
}

/* Reads the call that a thread is in. False: it runs. */
static bool read_moment(uint32_t pid, uint32_t tid, struct stacks_call *ret_call,
			uint64_t *ret_moment)
{
	char text[2 * LINE];
	/* How often, and how long, it ran. */
	const size_t length = read_file(pid, tid, "schedstat", text);
	const size_t more = read_file(pid, tid, "syscall", text + length);

	*ret_moment = hash_bytes(text, length + more);
	return read_call(text + length, ret_call);
}

bool stacks_thread_read(uint32_t pid, uint32_t tid, struct stacks_thread *ret_thread)
{
	struct stacks_thread thread = {.pid = pid, .tid = tid};
	char line[LINE], letter;

	if (!read_file(pid, tid, "stat", line))
		return false;
	letter = read_state(line, thread.name);
	if (strchr("ZXx", letter))
		return false;
	thread.state = letter == 'R'          ? STACKS_RUNNING
		       : letter == 'D'        ? STACKS_BLOCKED
		       : strchr("Tt", letter) ? STACKS_STOPPED
					      : STACKS_WAITING;
	thread.in_kernel = thread.state != STACKS_RUNNING &&
			   read_moment(pid, tid, &thread.call, &thread.moment);
	/* It has gone on since. */
	if (!thread.in_kernel && thread.state != STACKS_STOPPED)
		thread.state = STACKS_RUNNING;
	*ret_thread = thread;
	return true;
}

size_t stacks_thread_copy(const struct stacks_thread *thread, uint8_t *stack)
{
	const size_t size =
		stacks_read_memory(thread->tid, thread->call.rsp, stack, STACKS_BYTES);
	struct stacks_call call;
	uint64_t moment;

	return read_moment(thread->pid, thread->tid, &call, &moment) &&
			       moment == thread->moment
		       ? size
		       : 0;
}

size_t stacks_visit_threads(uint32_t pid, void (*visit)(void *context, uint32_t tid),
			    void *context)
{
	char path[64];
	struct dirent *entry;
	size_t count = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	DIR *folder = opendir(path);

	while (folder && (entry = readdir(folder))) {
		const long tid = strtol(entry->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		visit(context, (uint32_t)tid);
		count++;
	}
	if (folder)
		closedir(folder);
	return count;
}
