#include "session/tool/tool_files.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "control/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Numbers of files begin here: above all descriptors of programs. */
#define FIRST 0x40000000

/* Bytes that are moved at a time. */
enum { PIECE = 64 << 10 };

#define ARGUMENT(request, number) (*(request)->arguments[number])

static struct tool_file **find_slot(struct tool_request *request, int number)
{
	struct tool_space *tools = request->space->tools;
	const size_t index = (size_t)((int64_t)number - FIRST);

	return index < tools->files.count && tools->files.items[index]
		       ? &tools->files.items[index]
		       : NULL;
}

struct tool_file *tool_files_find(struct tool_request *request, int number)
{
	struct tool_file **slot = find_slot(request, number);

	return slot ? *slot : NULL;
}

/* The tracer's descriptor of the file that an argument names; output of tools goes to one
 * place. -1: there is none. */
static int descriptor_of(struct tool_request *request, int argument)
{
	const int number = (int)ARGUMENT(request, argument);
	const struct tool_file *file = tool_files_find(request, number);

	if (number == STDOUT_FILENO || number == STDERR_FILENO ||
	    number == WIRE_TOOL_OUTPUT)
		return request->session->tool_output;
	return file ? file->fd : -1;
}

static int64_t add_file(struct tool_request *request, int fd)
{
	struct tool_space *tools = request->space->tools;
	struct tool_file *file = memory_allocate_zeroed(1, sizeof(*file));
	size_t index = 0;

	*file = (struct tool_file){.fd = fd, .references = 1};
	while (index < tools->files.count && tools->files.items[index])
		index++;
	if (index == tools->files.count)
		vector_push(&tools->files, NULL);
	tools->files.items[index] = file;
	return FIRST + (int64_t)index;
}

/* Reads the path in an argument. Those of the tracer are meant: where trammel was
 * started. */
static bool read_path(const struct tool_request *request, int argument, char *path)
{
	return !remote_failed(remote_read_string(
		request->space->memory_fd, ARGUMENT(request, argument), path, PATH_MAX));
}

static int64_t open_path(struct tool_request *request, int first)
{
	char path[PATH_MAX];

	if (!read_path(request, first, path))
		return -EFAULT;
	/* What is preloaded is the program's. */
	if (!strcmp(path, "/etc/ld.so.preload"))
		return -ENOENT;
	int fd = open(path, (int)ARGUMENT(request, first + 1) | O_CLOEXEC | O_NOCTTY,
		      (mode_t)ARGUMENT(request, first + 2));

	return fd < 0 ? -errno : add_file(request, fd);
}

static int64_t serve_open(struct tool_request *request)
{
	return open_path(request, 0);
}

static int64_t serve_openat(struct tool_request *request)
{
	return open_path(request, 1);
}

static int64_t serve_access(struct tool_request *request)
{
	const int first = request->registers.orig_rax == SYS_access ? 0 : 1;
	char path[PATH_MAX];

	if (!read_path(request, first, path))
		return -EFAULT;
	if (!strcmp(path, "/etc/ld.so.preload"))
		return -ENOENT;
	return access(path, (int)ARGUMENT(request, first + 1)) ? -errno : 0;
}

static int64_t serve_unlink(struct tool_request *request)
{
	char path[PATH_MAX];

	if (!read_path(request, 0, path))
		return -EFAULT;
	return unlink(path) ? -errno : 0;
}

static int64_t serve_rename(struct tool_request *request)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (!read_path(request, 0, from) || !read_path(request, 1, to))
		return -EFAULT;
	return rename(from, to) ? -errno : 0;
}

static int64_t serve_mkdir(struct tool_request *request)
{
	char path[PATH_MAX];

	if (!read_path(request, 0, path))
		return -EFAULT;
	return mkdir(path, (mode_t)ARGUMENT(request, 1)) ? -errno : 0;
}

static int64_t serve_close(struct tool_request *request)
{
	struct tool_file **slot = find_slot(request, (int)ARGUMENT(request, 0));

	if (!slot)
		return -EBADF;
	tool_file_release(*slot);
	*slot = NULL;
	return 0;
}

/* Reads up to `size` bytes to an address; at `offset`, or -1: where the file stands. */
static int64_t read_to(const struct tool_request *request, int fd, uint64_t address,
		       uint64_t size, int64_t offset)
{
	scoped_free uint8_t *bytes = memory_allocate(PIECE);
	const size_t piece = size < PIECE ? (size_t)size : PIECE;
	ssize_t got = offset < 0 ? read(fd, bytes, piece)
				 : pread(fd, bytes, piece, (off_t)offset);

	if (got < 0)
		return -errno;
	return remote_failed(remote_write(request->space->memory_fd, address, bytes,
					  (size_t)got))
		       ? -EFAULT
		       : got;
}

static int64_t serve_read(struct tool_request *request)
{
	const int fd = descriptor_of(request, 0);
	const bool at = request->registers.orig_rax == SYS_pread64;

	if (!ARGUMENT(request, 0))
		return 0; /* no input */
	if (fd < 0)
		return -EBADF;
	return read_to(request, fd, ARGUMENT(request, 1), ARGUMENT(request, 2),
		       at ? (int64_t)ARGUMENT(request, 3) : -1);
}

/* Tools do not always look at what becomes of their output. */
static void note_lost(const struct tool_request *request, int fd, int reason)
{
	struct image_run *image = request->thread->process->image;
	struct text text = {0};

	if (fd != request->session->tool_output || image->reason)
		return;
	text_format(&text, "what tools printed was lost: %s", strerror(reason));
	image->reason = text.data;
}

/* Writes bytes of the program's memory to a file: all of them, or an error. */
static int64_t write_from(const struct tool_request *request, int fd, uint64_t address,
			  uint64_t size, int64_t offset)
{
	scoped_free uint8_t *bytes = memory_allocate(PIECE);
	struct session *session = request->session;
	uint64_t done = 0;

	if (fd == session->tool_output && !session->options->tool_output)
		session->tool_printed = true;
	while (done < size) {
		const size_t piece = size - done < PIECE ? (size_t)(size - done) : PIECE;

		if (remote_failed(remote_read(request->space->memory_fd, address + done,
					      bytes, piece)))
			return done ? (int64_t)done : -EFAULT;

		ssize_t put = offset < 0 ? write(fd, bytes, piece)
					 : pwrite(fd, bytes, piece,
						  (off_t)(offset + (int64_t)done));

		if (put <= 0) {
			const int reason = put ? errno : ENOSPC;

			note_lost(request, fd, reason);
			return done ? (int64_t)done : -reason;
		}
		done += (uint64_t)put;
	}
	return (int64_t)done;
}

static int64_t serve_write(struct tool_request *request)
{
	const int fd = descriptor_of(request, 0);
	const bool at = request->registers.orig_rax == SYS_pwrite64;

	if (fd < 0)
		return -EBADF;
	return write_from(request, fd, ARGUMENT(request, 1), ARGUMENT(request, 2),
			  at ? (int64_t)ARGUMENT(request, 3) : -1);
}

static int64_t serve_vector(struct tool_request *request)
{
	const bool reads = request->registers.orig_rax == SYS_readv;
	const int fd = descriptor_of(request, 0);
	int64_t sum = 0;

	if (fd < 0)
		return -EBADF;
	for (uint64_t i = 0; i < ARGUMENT(request, 2) && i < IOV_MAX; i++) {
		uint64_t row[2];

		if (remote_failed(remote_read(request->space->memory_fd,
					      ARGUMENT(request, 1) + i * sizeof(row), row,
					      sizeof(row))))
			return sum ? sum : -EFAULT;

		int64_t part = reads ? read_to(request, fd, row[0], row[1], -1)
				     : write_from(request, fd, row[0], row[1], -1);

		if (part < 0)
			return sum ? sum : part;
		sum += part;
		if ((uint64_t)part < row[1])
			break;
	}
	return sum;
}

static int64_t serve_seek(struct tool_request *request)
{
	const int fd = descriptor_of(request, 0);
	off_t result = fd < 0 ? -1
			      : lseek(fd, (off_t)ARGUMENT(request, 1),
				      (int)ARGUMENT(request, 2));

	return fd < 0 ? -EBADF : result < 0 ? -errno : result;
}

/* The kernel's struct stat is glibc's on x86-64. */
static int64_t give_status(const struct tool_request *request, int result,
			   const struct stat *status, uint64_t address)
{
	if (result)
		return -errno;
	return remote_failed(remote_write(request->space->memory_fd, address, status,
					  sizeof(*status)))
		       ? -EFAULT
		       : 0;
}

static int64_t serve_fstat(struct tool_request *request)
{
	const int fd = descriptor_of(request, 0);
	struct stat status;

	if (fd < 0)
		return -EBADF;
	return give_status(request, fstat(fd, &status), &status, ARGUMENT(request, 1));
}

static int64_t serve_stat(struct tool_request *request)
{
	char path[PATH_MAX];
	struct stat status;

	if (!read_path(request, 0, path))
		return -EFAULT;
	return give_status(request,
			   request->registers.orig_rax == SYS_stat ? stat(path, &status)
								   : lstat(path, &status),
			   &status, ARGUMENT(request, 1));
}

static int64_t serve_statat(struct tool_request *request)
{
	const int flags = (int)ARGUMENT(request, 3);
	char path[PATH_MAX];
	struct stat status;
	int fd = AT_FDCWD;

	if (!read_path(request, 1, path))
		return -EFAULT;
	if (!*path && flags & AT_EMPTY_PATH) {
		fd = descriptor_of(request, 0);
		if (fd < 0)
			return -EBADF;
	}
	return give_status(request, fstatat(fd, path, &status, flags), &status,
			   ARGUMENT(request, 2));
}

static int64_t serve_readlink(struct tool_request *request)
{
	char path[PATH_MAX], target[PATH_MAX];

	if (!read_path(request, 0, path))
		return -EFAULT;

	ssize_t length = readlink(path, target, sizeof(target));

	if (length < 0)
		return -errno;
	if ((uint64_t)length > ARGUMENT(request, 2))
		length = (ssize_t)ARGUMENT(request, 2);
	return remote_failed(remote_write(request->space->memory_fd, ARGUMENT(request, 1),
					  target, (size_t)length))
		       ? -EFAULT
		       : length;
}

static int64_t serve_getcwd(struct tool_request *request)
{
	char path[PATH_MAX];

	if (!getcwd(path, sizeof(path)))
		return -errno;

	const size_t size = strlen(path) + 1;

	if (size > ARGUMENT(request, 1))
		return -ERANGE;
	return remote_failed(remote_write(request->space->memory_fd, ARGUMENT(request, 0),
					  path, size))
		       ? -EFAULT
		       : (int64_t)size;
}

static int64_t serve_fcntl(struct tool_request *request)
{
	const int fd = descriptor_of(request, 0);

	if (fd < 0)
		return -EBADF;
	switch ((int)ARGUMENT(request, 1)) {
	case F_GETFL:
		return fcntl(fd, F_GETFL);
	case F_GETFD:
	case F_SETFD:
		return 0;
	default:
		return -EINVAL;
	}
}

static int64_t serve_ioctl(struct tool_request *request)
{
	return descriptor_of(request, 0) < 0 ? -EBADF : -ENOTTY;
}

static int64_t serve_size(struct tool_request *request)
{
	const int fd = descriptor_of(request, 0);

	if (fd < 0)
		return -EBADF;
	return ftruncate(fd, (off_t)ARGUMENT(request, 1)) ? -errno : 0;
}

static int64_t serve_sync(struct tool_request *request)
{
	const int fd = descriptor_of(request, 0);

	if (fd < 0)
		return -EBADF;
	return fsync(fd) ? -errno : 0;
}

int64_t tool_files_serve(struct tool_request *request)
{
	static const struct {
		uint32_t number;
		int64_t (*serve)(struct tool_request *request);
	} rows[] = {
		{SYS_open, serve_open},         {SYS_openat, serve_openat},
		{SYS_close, serve_close},       {SYS_read, serve_read},
		{SYS_pread64, serve_read},      {SYS_write, serve_write},
		{SYS_pwrite64, serve_write},    {SYS_readv, serve_vector},
		{SYS_writev, serve_vector},     {SYS_lseek, serve_seek},
		{SYS_fstat, serve_fstat},       {SYS_stat, serve_stat},
		{SYS_lstat, serve_stat},        {SYS_newfstatat, serve_statat},
		{SYS_readlink, serve_readlink}, {SYS_getcwd, serve_getcwd},
		{SYS_access, serve_access},     {SYS_faccessat, serve_access},
		{SYS_unlink, serve_unlink},     {SYS_rename, serve_rename},
		{SYS_mkdir, serve_mkdir},       {SYS_fcntl, serve_fcntl},
		{SYS_ioctl, serve_ioctl},       {SYS_ftruncate, serve_size},
		{SYS_fsync, serve_sync},        {SYS_fdatasync, serve_sync},
	};

	for (size_t i = 0; i < array_count(rows); i++)
		if (rows[i].number == request->registers.orig_rax)
			return rows[i].serve(request);
	return -ENOSYS;
}
