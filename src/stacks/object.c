#include "stacks/object.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "stacks/futex.h"
#include "stacks/socket.h"
#include "syscall_names.h"

#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SHOWN_MAX = 3, POLLED_MAX = 256 };

const char *const stacks_kind_names[STACKS_KINDS] = {
	[STACKS_OTHER] = "other",         [STACKS_MUTEX] = "mutex",
	[STACKS_CONDITION] = "condition", [STACKS_SEMAPHORE] = "semaphore",
	[STACKS_BARRIER] = "barrier",     [STACKS_LOCK] = "lock",
	[STACKS_THREAD] = "thread",       [STACKS_FUTEX] = "futex",
	[STACKS_SOCKET] = "socket",       [STACKS_PIPE] = "pipe",
	[STACKS_TERMINAL] = "terminal",   [STACKS_FILE] = "file",
	[STACKS_EVENT] = "event",         [STACKS_POLL] = "poll",
	[STACKS_SLEEP] = "sleep",         [STACKS_CHILD] = "child",
	[STACKS_SIGNAL] = "signal",       [STACKS_MEMORY] = "memory",
};

/* What a descriptor's link begins with. */
static const struct link {
	const char *begin;
	enum stacks_kind kind;
	const char *words; /* NULL: the link itself, behind "file" or so */
} links[] = {
	{"pipe:", STACKS_PIPE, "pipe"},
	{"anon_inode:[eventpoll]", STACKS_POLL, "epoll"},
	{"anon_inode:[eventfd", STACKS_EVENT, "eventfd"},
	{"anon_inode:[timerfd", STACKS_EVENT, "timerfd"},
	{"anon_inode:[signalfd", STACKS_SIGNAL, "signalfd"},
	{"anon_inode:inotify", STACKS_EVENT, "inotify"},
	{"anon_inode:[fanotify", STACKS_EVENT, "fanotify"},
	{"anon_inode:[io_uring", STACKS_EVENT, "io_uring"},
	{"anon_inode:[pidfd", STACKS_CHILD, "pidfd"},
	{"anon_inode:", STACKS_EVENT, NULL},
	{"/dev/pts/", STACKS_TERMINAL, NULL},
	{"/dev/tty", STACKS_TERMINAL, NULL},
	{"/dev/ptmx", STACKS_TERMINAL, NULL},
	{"/dev/console", STACKS_TERMINAL, NULL},
	{"", STACKS_FILE, NULL},
};

static void add_socket(struct stacks_sockets *sockets, uint32_t pid, int fd,
		       const char *link, struct text *out)
{
	const uint64_t inode = strtoull(link + strlen("socket:["), NULL, 10);
	const char *address = stacks_socket_address(sockets, pid, inode);

	text_format(out, "socket %s", address ? address : "");
	/* One without a name is known by its descriptor alone. */
	if (!address || !strcmp(address, "unix"))
		text_format(out, "%s(fd %d)", address ? " " : "", fd);
}

enum stacks_kind stacks_descriptor(struct stacks_sockets *sockets, uint32_t pid, int fd,
				   struct text *out)
{
	char path[64], link[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%d", pid, fd);
	const ssize_t length = readlink(path, link, sizeof(link) - 1);

	if (length < 0) {
		text_format(out, "descriptor %d", fd);
		return STACKS_OTHER;
	}
	link[length] = '\0';
	if (!strncmp(link, "socket:", 7)) {
		add_socket(sockets, pid, fd, link, out);
		return STACKS_SOCKET;
	}
	const struct link *row = links;

	while (strncmp(link, row->begin, strlen(row->begin)) != 0)
		row++;
	if (row->words)
		text_format(out, "%s (fd %d)", row->words, fd);
	else
		text_format(out, "%s %s", stacks_kind_names[row->kind], link);
	return row->kind;
}

/* What a list of descriptors is added to. */
struct listing {
	struct stacks_sockets *sockets;
	uint32_t pid;
	size_t count;
	struct stacks_object *object;
};

static void list_descriptor(struct listing *list, int fd)
{
	if (list->count < SHOWN_MAX) {
		text_add(&list->object->words, list->count ? ", " : " of ");
		stacks_descriptor(list->sockets, list->pid, fd, &list->object->words);
	}
	list->count++;
}

static void end_list(struct listing *list)
{
	list->object->kind = STACKS_POLL;
	if (list->count > SHOWN_MAX)
		text_format(&list->object->words, " and %zu more",
			    list->count - SHOWN_MAX);
}

static struct listing begin_list(struct stacks_sockets *sockets, uint32_t pid,
				 const char *words, struct stacks_object *object)
{
	text_add(&object->words, words);
	return (struct listing){.sockets = sockets, .pid = pid, .object = object};
}

static void find_poll(struct stacks_sockets *sockets, uint32_t pid,
		      const struct stacks_call *call, struct stacks_object *object)
{
	struct pollfd polled[POLLED_MAX];
	const uint64_t count =
		call->arguments[1] < POLLED_MAX ? call->arguments[1] : POLLED_MAX;
	const size_t got = stacks_read_memory(pid, call->arguments[0], polled,
					      count * sizeof(polled[0]));
	struct listing list = begin_list(sockets, pid, "poll", object);

	for (size_t i = 0; i < got / sizeof(polled[0]); i++)
		if (polled[i].fd >= 0)
			list_descriptor(&list, polled[i].fd);
	end_list(&list);
	/* A sleep that is written otherwise. */
	if (!list.count)
		object->kind = STACKS_SLEEP;
}

static void find_select(struct stacks_sockets *sockets, uint32_t pid,
			const struct stacks_call *call, struct stacks_object *object)
{
	enum { SETS = 3 };
	fd_set sets[SETS];
	const int count =
		call->arguments[0] < FD_SETSIZE ? (int)call->arguments[0] : FD_SETSIZE;
	struct listing list = begin_list(sockets, pid, "select", object);

	memset(sets, 0, sizeof(sets));
	for (int i = 0; i < SETS; i++)
		if (call->arguments[1 + i])
			stacks_read_memory(pid, call->arguments[1 + i], &sets[i],
					   (size_t)(count + 63) / 64 * 8);
	for (int fd = 0; fd < count; fd++)
		if (FD_ISSET(fd, &sets[0]) || FD_ISSET(fd, &sets[1]) ||
		    FD_ISSET(fd, &sets[2]))
			list_descriptor(&list, fd);
	end_list(&list);
	if (!list.count)
		object->kind = STACKS_SLEEP;
}

static void find_epoll(struct stacks_sockets *sockets, uint32_t pid,
		       const struct stacks_call *call, struct stacks_object *object)
{
	char path[64], *line = NULL;
	size_t capacity = 0;
	struct listing list = begin_list(sockets, pid, "epoll", object);
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fdinfo/%d", pid,
		 (int)call->arguments[0]);
	scoped_file FILE *file = fopen(path, "re");

	while (file && getline(&line, &capacity, file) > 0)
		if (sscanf(line, "tfd: %d", &fd) == 1)
			list_descriptor(&list, fd);
	free(line);
	end_list(&list);
}

static void find_descriptor(struct stacks_sockets *sockets, uint32_t pid,
			    const struct stacks_call *call, struct stacks_object *object)
{
	object->kind =
		stacks_descriptor(sockets, pid, (int)call->arguments[0], &object->words);
}

static void find_sleep(struct stacks_sockets *sockets, uint32_t pid,
		       const struct stacks_call *call, struct stacks_object *object)
{
	(void)sockets;
	(void)pid;
	(void)call;
	object->kind = STACKS_SLEEP;
	text_add(&object->words, "sleep");
}

static void find_signal(struct stacks_sockets *sockets, uint32_t pid,
			const struct stacks_call *call, struct stacks_object *object)
{
	(void)sockets;
	(void)pid;
	(void)call;
	object->kind = STACKS_SIGNAL;
	text_add(&object->words, "signal");
}

static void find_child(struct stacks_sockets *sockets, uint32_t pid,
		       const struct stacks_call *call, struct stacks_object *object)
{
	const int child = (int)call->arguments[call->number == SYS_waitid];

	(void)sockets;
	(void)pid;
	object->kind = STACKS_CHILD;
	text_add(&object->words, "child");
	/* waitid has a type in front: P_ALL has no number. */
	if (child > 0 && (call->number == SYS_wait4 ||
			  (call->number == SYS_waitid && call->arguments[0] == 1)))
		text_format(&object->words, " %d", child);
}

static void find_file_lock(struct stacks_sockets *sockets, uint32_t pid,
			   const struct stacks_call *call, struct stacks_object *object)
{
	text_add(&object->words, "lock of ");
	stacks_descriptor(sockets, pid, (int)call->arguments[0], &object->words);
	object->kind = STACKS_LOCK;
}

static void find_path(struct stacks_sockets *sockets, uint32_t pid,
		      const struct stacks_call *call, struct stacks_object *object)
{
	char path[PATH_MAX + 1];
	const uint64_t at =
		call->arguments[call->number != SYS_open && call->number != SYS_creat];

	(void)sockets;
	path[stacks_read_memory(pid, at, path, PATH_MAX)] = '\0';
	object->kind = STACKS_FILE;
	text_format(&object->words, "file %s", path);
}

static void find_semaphore(struct stacks_sockets *sockets, uint32_t pid,
			   const struct stacks_call *call, struct stacks_object *object)
{
	(void)sockets;
	(void)pid;
	object->kind = STACKS_SEMAPHORE;
	text_format(&object->words, "semaphore set %d", (int)call->arguments[0]);
}

static void find_queue(struct stacks_sockets *sockets, uint32_t pid,
		       const struct stacks_call *call, struct stacks_object *object)
{
	(void)sockets;
	(void)pid;
	object->kind = STACKS_PIPE;
	text_format(&object->words, "message queue %d", (int)call->arguments[0]);
}

typedef void find_object(struct stacks_sockets *sockets, uint32_t pid,
			 const struct stacks_call *call, struct stacks_object *object);

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

/* System calls that wait. */
static const struct {
	int64_t number;
	find_object *find;
} calls[] = {
	{SYS_futex, NULL},
	{SYS_nanosleep, find_sleep},
	{SYS_clock_nanosleep, find_sleep},
	{SYS_pause, find_signal},
	{SYS_rt_sigsuspend, find_signal},
	{SYS_rt_sigtimedwait, find_signal},
	{SYS_poll, find_poll},
	{SYS_ppoll, find_poll},
	{SYS_select, find_select},
	{SYS_pselect6, find_select},
	{SYS_epoll_wait, find_epoll},
	{SYS_epoll_pwait, find_epoll},
	{SYS_epoll_pwait2, find_epoll},
	{SYS_wait4, find_child},
	{SYS_waitid, find_child},
	{SYS_vfork, find_child},
	{SYS_read, find_descriptor},
	{SYS_write, find_descriptor},
	{SYS_pread64, find_descriptor},
	{SYS_pwrite64, find_descriptor},
	{SYS_readv, find_descriptor},
	{SYS_writev, find_descriptor},
	{SYS_preadv, find_descriptor},
	{SYS_pwritev, find_descriptor},
	{SYS_preadv2, find_descriptor},
	{SYS_pwritev2, find_descriptor},
	{SYS_sendfile, find_descriptor},
	{SYS_splice, find_descriptor},
	{SYS_tee, find_descriptor},
	{SYS_vmsplice, find_descriptor},
	{SYS_copy_file_range, find_descriptor},
	{SYS_recvfrom, find_descriptor},
	{SYS_recvmsg, find_descriptor},
	{SYS_recvmmsg, find_descriptor},
	{SYS_sendto, find_descriptor},
	{SYS_sendmsg, find_descriptor},
	{SYS_sendmmsg, find_descriptor},
	{SYS_accept, find_descriptor},
	{SYS_accept4, find_descriptor},
	{SYS_connect, find_descriptor},
	{SYS_fsync, find_descriptor},
	{SYS_fdatasync, find_descriptor},
	{SYS_sync_file_range, find_descriptor},
	{SYS_syncfs, find_descriptor},
	{SYS_ftruncate, find_descriptor},
	{SYS_fallocate, find_descriptor},
	{SYS_getdents64, find_descriptor},
	{SYS_ioctl, find_descriptor},
	{SYS_close, find_descriptor},
	{SYS_io_uring_enter, find_descriptor},
	{SYS_mq_timedreceive, find_descriptor},
	{SYS_mq_timedsend, find_descriptor},
	{SYS_flock, find_file_lock},
	{SYS_fcntl, find_file_lock},
	{SYS_open, find_path},
	{SYS_openat, find_path},
	{SYS_openat2, find_path},
	{SYS_creat, find_path},
	{SYS_semop, find_semaphore},
	{SYS_semtimedop, find_semaphore},
	{SYS_msgrcv, find_queue},
	{SYS_msgsnd, find_queue},
	{SYS_futex_waitv, NULL},
	{SYS_io_getevents, NULL},
	{SYS_sync, NULL},
	{SYS_restart_syscall, NULL},
	{SYS_getrandom, NULL},
};

bool stacks_call_waits(int64_t number)
{
	for (size_t i = 0; i < array_count(calls); i++)
		if (calls[i].number == number)
			return true;
	return false;
}

const char *stacks_call_name(int64_t number)
{
	return number >= 0 && number < (int64_t)array_count(syscall_names)
		       ? syscall_names[number]
		       : NULL;
}

/* A call that a stop has interrupted goes on as another one, without its arguments. */
static bool is_restarted_sleep(const struct stacks_call *call, const char *names)
{
	return call->number == SYS_restart_syscall && strstr(names, "sleep");
}

static void find_by_futex(uint32_t pid, const struct stacks_call *call,
			  const char *function_names, const struct stacks_futex *futex,
			  struct stacks_object *object)
{
	struct stacks_futex now;

	if (!futex) {
		stacks_futex_look(pid, call, &now);
		futex = &now;
	}
	stacks_futex_name(futex, call, function_names, object);
}

void stacks_object_find(struct stacks_sockets *sockets, uint32_t pid,
			const struct stacks_call *call, const char *function_names,
			const struct stacks_futex *futex,
			struct stacks_object *ret_object)
{
	struct stacks_object object = {.kind = STACKS_OTHER};
	const char *name = stacks_call_name(call->number);
	find_object *find = NULL;

	for (size_t i = 0; i < array_count(calls); i++)
		if (calls[i].number == call->number)
			find = calls[i].find;
	if (call->number == SYS_futex)
		find_by_futex(pid, call, function_names, futex, &object);
	else if (find)
		find(sockets, pid, call, &object);
	else if (is_restarted_sleep(call, function_names))
		find_sleep(sockets, pid, call, &object);
	else if (call->number < 0)
		object.kind = STACKS_MEMORY, text_add(&object.words, "memory");
	else if (name)
		text_format(&object.words, "call %s", name);
	else
		text_format(&object.words, "call %" PRId64, call->number);
	*ret_object = object;
}
