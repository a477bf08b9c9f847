#include "daemon/control.h"

#include "base/cleanup.h"
#include "base/table.h"
#include "base/vector.h"
#include "store/sql/address.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { REQUEST_MS = 500 };

static const char failed[] = "error: ";

/* What would lie beside a file lies in a folder of the user's where the database is on a
 * server: that is not on this machine, perhaps. */
static void add_own_folder(struct text *path)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (!geteuid())
		text_add(path, "/run/trammel");
	else if (runtime && *runtime == '/')
		text_format(path, "%s/trammel", runtime);
	else
		text_format(path, "/tmp/trammel-%ld", (long)geteuid());
}

/* Makes that folder. Nobody else may have made it. */
static struct trm_error *make_own_folder(void)
{
	struct text path = {0};
	struct stat status;
	struct trm_error *error = NULL;

	add_own_folder(&path);
	if (mkdir(path.data, 0700) && errno != EEXIST)
		error = trm_error_system(errno, "cannot make '%s'", path.data);
	else if (lstat(path.data, &status) || !S_ISDIR(status.st_mode) ||
		 status.st_uid != geteuid() || (status.st_mode & 077))
		error = trm_error_create(TRM_ERROR_SYSTEM,
					 "'%s' is not a folder of this user's alone: "
					 "remove it",
					 path.data);
	text_deinit(&path);
	return error;
}

static char *name_file(const char *database)
{
	scoped_free char *real = realpath(database, NULL);
	struct text path = {0};

	if (!address_is_server(database)) {
		text_format(&path, "%s.daemon", real ? real : database);
		return path.data;
	}
	scoped_free char *shown = address_show(database);

	add_own_folder(&path);
	text_format(&path, "/%016lx.daemon",
		    (unsigned long)hash_bytes(shown, strlen(shown)));
	return path.data;
}

/* The socket's address; its folder is open as `ret_folder`, since a path in an address is
 * short. */
static bool find_address(const char *path, struct sockaddr_un *ret_address,
			 int *ret_folder)
{
	scoped_free char *copy = memory_copy_string(path);
	char *slash = strrchr(copy, '/');
	const char *name = slash ? slash + 1 : copy;

	if (slash)
		*slash = '\0';
	*ret_folder = open(!slash  ? "."
			   : *copy ? copy
				   : "/",
			   O_PATH | O_DIRECTORY | O_CLOEXEC);
	*ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
	return *ret_folder >= 0 &&
	       snprintf(ret_address->sun_path, sizeof(ret_address->sun_path),
			"/proc/self/fd/%d/%s.socket", *ret_folder,
			name) < (int)sizeof(ret_address->sun_path);
}

static struct flock whole_file(void)
{
	return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

/* Opens and locks the file; -1 with errno, EAGAIN: another process has it. The file may
 * be removed by one that ends just then. */
static int lock_file(const char *path)
{
	for (;;) {
		struct flock lock = whole_file();
		struct stat status;
		const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		if (fd < 0)
			return -1;
		if (fcntl(fd, F_SETLK, &lock)) {
			const int why = errno == EACCES ? EAGAIN : errno;

			close(fd);
			errno = why;
			return -1;
		}
		if (!fstat(fd, &status) && status.st_nlink)
			return fd;
		close(fd);
	}
}

static pid_t find_locker(const char *path)
{
	struct flock lock = whole_file();
	scoped_fd int fd = open(path, O_RDWR | O_CLOEXEC);

	return fd < 0 || fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK ? 0
									     : lock.l_pid;
}

static struct trm_error *listen_at(struct control *control)
{
	struct sockaddr_un address;
	scoped_fd int folder = -1;

	if (!find_address(control->path, &address, &folder))
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s': the name is too long for a socket "
					"beside it",
					control->path);
	/* Nobody else has it, since the file is locked. */
	unlink(address.sun_path);
	control->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const mode_t mask = umask(0177);
	const bool done =
		control->fd >= 0 &&
		!bind(control->fd, (struct sockaddr *)&address, sizeof(address)) &&
		!listen(control->fd, 16);
	const int why = errno;

	umask(mask);
	return done ? NULL
		    : trm_error_system(why, "cannot listen at '%s.socket'",
				       control->path);
}

struct trm_error *control_begin(struct control *control, const char *database)
{
	scoped_free char *shown = address_show(database);
	char pid[32];
	struct trm_error *error;

	*control = (struct control){NULL, -1, -1, -1};
	if (address_is_server(database))
		TRM_TRY(make_own_folder());
	*control = (struct control){name_file(database), -1, -1, -1};
	control->lock_fd = lock_file(control->path);
	if (control->lock_fd < 0) {
		const int why = errno;
		const pid_t other = why == EAGAIN ? find_locker(control->path) : 0;

		error = why == EAGAIN
				? trm_error_create(TRM_ERROR_USAGE,
						   "'%s' has a daemon already, process "
						   "%d: 'trammel daemon --stop' ends it",
						   shown, (int)other)
				: trm_error_system(why, "cannot lock '%s'",
						   control->path);
		free(take_pointer(control->path));
		return error;
	}
	snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	/* For people: who asks goes by the lock. */
	if (ftruncate(control->lock_fd, 0) ||
	    write(control->lock_fd, pid, strlen(pid)) < 0)
		errno = 0;
	error = listen_at(control);
	if (error)
		control_end(control);
	return error;
}

void control_end(struct control *control)
{
	struct text path = {0};

	if (!control->path)
		return;
	text_format(&path, "%s.socket", control->path);
	unlink(path.data);
	unlink(control->path);
	text_deinit(&path);
	if (control->asker_fd >= 0)
		close(control->asker_fd);
	if (control->fd >= 0)
		close(control->fd);
	close(control->lock_fd);
	free(take_pointer(control->path));
}

/* Reads a line of who may be slow, but not for long. */
static bool read_request(int fd, char *line, size_t size)
{
	struct pollfd end = {.fd = fd, .events = POLLIN};
	size_t length = 0;

	while (length < size - 1 && poll(&end, 1, REQUEST_MS) > 0) {
		const ssize_t count = read(fd, line + length, size - 1 - length);

		if (count <= 0)
			break;
		length += (size_t)count;
		line[length] = '\0';
		if (strchr(line, '\n')) {
			*strchr(line, '\n') = '\0';
			return true;
		}
	}
	return false;
}

bool control_take(struct control *control, char *ret_line, size_t size)
{
	const int fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return false;
	ret_line[0] = '\0';
	if (!read_request(fd, ret_line, size)) {
		close(fd);
		return false;
	}
	control->asker_fd = fd;
	return true;
}

void control_answer(struct control *control, const char *text, struct trm_error *error)
{
	struct text answer = {0};

	text_format(&answer, "%s%s", error ? failed : "", error ? error->message : text);
	trm_error_destroy(error);
	/* Who asked may be gone. */
	if (control->asker_fd >= 0 &&
	    send(control->asker_fd, answer.data, answer.length, MSG_NOSIGNAL) < 0)
		errno = 0;
	text_deinit(&answer);
	if (control->asker_fd >= 0)
		close(control->asker_fd);
	control->asker_fd = -1;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address;
	scoped_fd int folder = -1;
	scoped_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || !find_address(path, &address, &folder) ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	return take_fd(&fd);
}

struct trm_error *control_ask(const char *database, const char *line,
			      struct text *ret_answer)
{
	scoped_free char *path = name_file(database), *shown = address_show(database);
	scoped_fd int fd = connect_to(path);
	struct text request = {0}, answer = {0};
	char buffer[4096];
	ssize_t count = 0;

	if (fd < 0)
		return errno == EACCES
			       ? trm_error_create(TRM_ERROR_SYSTEM,
						  "the daemon of '%s' is another "
						  "user's",
						  shown)
			       : trm_error_create(TRM_ERROR_GONE,
						  "'%s' has no daemon: 'trammel daemon "
						  "--db FILE' begins one",
						  shown);
	text_format(&request, "%s\n", line);
	const bool sent = send(fd, request.data, request.length, MSG_NOSIGNAL) ==
			  (ssize_t)request.length;

	text_deinit(&request);
	while (sent && (count = read(fd, buffer, sizeof(buffer))) > 0)
		text_add_bytes(&answer, buffer, (size_t)count);
	if (!answer.length)
		return trm_error_create(TRM_ERROR_GONE, "the daemon of '%s' has ended",
					shown);
	if (!strncmp(answer.data, failed, strlen(failed))) {
		struct trm_error *error = trm_error_create(TRM_ERROR_USAGE, "%s",
							   answer.data + strlen(failed));

		text_deinit(&answer);
		return error;
	}
	text_add_bytes(ret_answer, answer.data, answer.length);
	text_deinit(&answer);
	return NULL;
}
