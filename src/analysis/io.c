/*
 * io: bytes that were read and written, by file. Files are known by the path that opened
 * them; what was open at the start by /proc/self/fd.
 *
 *     trammel run --tool io:top=50 -- PROGRAM
 */
#include "calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { DESCRIPTORS = 4096, FILES = 4096, FILE_NAME = 160 };

/* --- program --------------------------------------------------------------------- */

struct file {
	char name[FILE_NAME];
	uint64_t opened, reads, writes, read, written;
};

struct pending {
	uint64_t bank;
	uint64_t number, first, second, third;
};

static struct file files[FILES]; /* the first is for all for which there is no room */
static uint32_t file_count = 1;
static uint32_t descriptors[DESCRIPTORS]; /* number of the file; 0: not known */
static struct pending pending[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t top;

static uint32_t file_named(const char *name)
{
	for (uint32_t i = 1; i < file_count; i++)
		if (!strncmp(files[i].name, name, FILE_NAME - 1))
			return i;
	if (file_count == FILES)
		return 0;
	place_copy(files[file_count].name, FILE_NAME, name);
	return file_count++;
}

TRAMMEL_ROUTINE void io_set(uint64_t rows)
{
	char path[32], name[FILE_NAME];

	top = rows;
	place_copy(files[0].name, FILE_NAME, "(other files)");
	for (int fd = 0; fd < 256; fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, name, sizeof(name) - 1);
		if (length <= 0)
			continue;
		name[length] = '\0';
		descriptors[fd] = file_named(name);
	}
}

TRAMMEL_ROUTINE void io_begin(struct place *place, uint64_t number, uint64_t first,
			      uint64_t second, uint64_t third, uint64_t bank)
{
	struct pending *call = THREAD_STATE(struct pending, pending, bank);

	(void)place;
	call->number = number;
	call->first = first;
	call->second = second;
	call->third = third;
}

static void set_file(uint64_t fd, uint32_t file)
{
	if (fd < DESCRIPTORS)
		descriptors[fd] = file;
}

static void open_file(uint64_t fd, const char *name)
{
	uint32_t file = file_named(name);

	files[file].opened++;
	set_file(fd, file);
}

static struct file *file_of(uint64_t fd)
{
	char name[48];

	if (fd < DESCRIPTORS && descriptors[fd])
		return &files[descriptors[fd]];
	snprintf(name, sizeof(name), "descriptor %llu", (unsigned long long)fd);
	set_file(fd, file_named(name));
	return fd < DESCRIPTORS ? &files[descriptors[fd]] : &files[0];
}

enum effect { NOTHING, READS, WRITES, OPENS, OPENS_AT, COPIES, COPIES_TO, MAKES };

/* What a system call does to descriptors; `name` of what it makes. */
static const struct {
	uint16_t number;
	uint8_t effect;
	const char *name;
} effects[] = {
	{SYS_read, READS, NULL},
	{SYS_pread64, READS, NULL},
	{SYS_readv, READS, NULL},
	{SYS_preadv, READS, NULL},
	{SYS_preadv2, READS, NULL},
	{SYS_recvfrom, READS, NULL},
	{SYS_recvmsg, READS, NULL},
	{SYS_getdents64, READS, NULL},
	{SYS_write, WRITES, NULL},
	{SYS_pwrite64, WRITES, NULL},
	{SYS_writev, WRITES, NULL},
	{SYS_pwritev, WRITES, NULL},
	{SYS_pwritev2, WRITES, NULL},
	{SYS_sendto, WRITES, NULL},
	{SYS_sendmsg, WRITES, NULL},
	{SYS_sendfile, WRITES, NULL},
	{SYS_open, OPENS, NULL},
	{SYS_creat, OPENS, NULL},
	{SYS_openat, OPENS_AT, NULL},
	{SYS_openat2, OPENS_AT, NULL},
	{SYS_dup, COPIES, NULL},
	{SYS_dup2, COPIES_TO, NULL},
	{SYS_dup3, COPIES_TO, NULL},
	{SYS_socket, MAKES, "(sockets)"},
	{SYS_accept, MAKES, "(sockets)"},
	{SYS_accept4, MAKES, "(sockets)"},
	{SYS_eventfd2, MAKES, "(events)"},
	{SYS_epoll_create1, MAKES, "(events)"},
	{SYS_memfd_create, MAKES, "(memory)"},
};

static void take_effect(const struct pending *call, uint64_t returned, int row)
{
	switch (effects[row].effect) {
	case READS:
		file_of(call->first)->reads++;
		file_of(call->first)->read += returned;
		break;
	case WRITES:
		file_of(call->first)->writes++;
		file_of(call->first)->written += returned;
		break;
	case OPENS:
		open_file(returned, (const char *)(uintptr_t)call->first);
		break;
	case OPENS_AT:
		open_file(returned, (const char *)(uintptr_t)call->second);
		break;
	case COPIES:
		set_file(returned,
			 call->first < DESCRIPTORS ? descriptors[call->first] : 0);
		break;
	case COPIES_TO:
		set_file(call->second,
			 call->first < DESCRIPTORS ? descriptors[call->first] : 0);
		break;
	default:
		open_file(returned, effects[row].name);
	}
}

/* Calls with effects that depend on more than their number. */
static void take_special(const struct pending *call, uint64_t returned)
{
	if (call->number == SYS_close)
		set_file(call->first, 0);
	if (call->number == SYS_pipe || call->number == SYS_pipe2) {
		const int *ends = (const int *)(uintptr_t)call->first;

		for (int i = 0; i < 2; i++)
			open_file((uint64_t)ends[i], "(pipes)");
	}
	if (call->number == SYS_fcntl &&
	    (call->second == F_DUPFD || call->second == F_DUPFD_CLOEXEC))
		set_file(returned,
			 call->first < DESCRIPTORS ? descriptors[call->first] : 0);
}

TRAMMEL_ROUTINE void io_end(int64_t returned, uint64_t bank)
{
	struct pending *call = THREAD_STATE(struct pending, pending, bank);

	if (call_failed(returned))
		return;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < (int)(sizeof(effects) / sizeof(effects[0])); i++)
		if (effects[i].number == call->number)
			take_effect(call, (uint64_t)returned, i);
	take_special(call, (uint64_t)returned);
	pthread_mutex_unlock(&lock);
}

static int by_bytes(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	uint64_t of_x = x->read + x->written, of_y = y->read + y->written;

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return strcmp(x->name, y->name);
}

static const struct column columns[] = {
	COLUMN("opened", "opened", 8, SUM, NUMBER, file, opened),
	COLUMN("reads", "reads", 10, SUM, NUMBER, file, reads),
	COLUMN("bytes.read", "bytes", 15, SUM, NUMBER, file, read),
	COLUMN("writes", "writes", 10, SUM, NUMBER, file, writes),
	COLUMN("bytes.written", "bytes", 15, SUM, NUMBER, file, written),
	COLUMN("file", "file", 0, KEY, TEXT, file, name),
};
static const struct table table = {"files", TABLE_COLUMNS(columns), NULL, NULL, NULL};

TRAMMEL_ROUTINE void io_print(void)
{
	static const void *list[FILES];
	struct table_rows rows = {list, 0, top, 0};
	uint64_t read = 0, written = 0;

	for (uint32_t i = 0; i < file_count; i++) {
		read += files[i].read;
		written += files[i].written;
	}
	qsort(files, file_count, sizeof(files[0]), by_bytes);
	fprintf(stderr, "io: %llu bytes read, %llu written\n", (unsigned long long)read,
		(unsigned long long)written);
	for (uint32_t i = 0; i < file_count; i++)
		if (files[i].opened || files[i].reads || files[i].writes)
			list[rows.count++] = &files[i];
	table_write(&table, &rows);
}

TRAMMEL_ROUTINE void io_fork(void)
{
	for (uint32_t i = 0; i < file_count; i++)
		table_forget_row(&table, &files[i]);
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"top", NULL};

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "io_fork");
	calls_declare(api, "io_begin", "io_end");
	api->prototype("io_set(uint64_t)");
	api->prototype("io_print()");
	trammel_add_call(api, trammel_program_start(), "io_set",
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 50)));
	trammel_add_call(api, trammel_program_end(), "io_print");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	calls_of_function(api, function, "io_begin", "io_end");
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"io",
		"bytes read and written, by file\ntop=N (50)",
		start_tool,
		NULL,
		see_function,
		NULL};
