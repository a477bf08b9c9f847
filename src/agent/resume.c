#include "agent/resume.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/vector.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { NAME_BYTES = 12, RELAY_SIZE = 1 << 16 };

char *resume_name(void)
{
	uint8_t bytes[NAME_BYTES];
	struct text name = {0};

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		memset(bytes, getpid() & 0xff, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		text_format(&name, "%02x", bytes[i]);
	return name.data;
}

/* The folder of sockets, which is made; it must be this user's, and nobody else's. */
static struct trm_error *find_folder(struct text *ret_folder)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat status;

	if (runtime && *runtime == '/')
		text_format(ret_folder, "%s/trammel", runtime);
	else
		text_format(ret_folder, "/tmp/trammel-%d", (int)geteuid());
	if (mkdir(ret_folder->data, 0700) && errno != EEXIST)
		return trm_error_system(errno, "cannot make '%s'", ret_folder->data);
	if (lstat(ret_folder->data, &status))
		return trm_error_system(errno, "cannot use '%s'", ret_folder->data);
	if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
	    status.st_mode & 077)
		return trm_error_create(TRM_ERROR_SYSTEM,
					"'%s' is not a folder of this user alone: remove "
					"it, or set XDG_RUNTIME_DIR",
					ret_folder->data);
	return NULL;
}

static struct trm_error *make_address(const char *session, struct sockaddr_un *address)
{
	struct text path = {0};

	for (const char *at = session; *at; at++)
		if (!isxdigit((unsigned char)*at))
			return trm_error_create(TRM_ERROR_USAGE, "'%s' is not a session",
						session);
	struct trm_error *error = find_folder(&path);

	text_format(&path, "/%s", session);
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (!error && path.length >= sizeof(address->sun_path))
		error = trm_error_create(TRM_ERROR_SYSTEM,
					 "'%s' is too long for a socket", path.data);
	if (!error)
		memcpy(address->sun_path, path.data, path.length + 1);
	text_deinit(&path);
	return error;
}

struct trm_error *resume_listen(const char *session, char **ret_path, int *ret_fd)
{
	struct sockaddr_un address;
	scoped_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	TRM_TRY(make_address(session, &address));
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(fd, 1))
		return trm_error_system(errno, "cannot listen at '%s'", address.sun_path);
	*ret_path = memory_copy_string(address.sun_path);
	*ret_fd = take_fd(&fd);
	return NULL;
}

int resume_accept(int listener)
{
	scoped_fd int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
	    peer.uid != geteuid())
		return -1;
	return take_fd(&fd);
}

/* False: nobody takes it. */
static bool write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		count -= (size_t)written;
	}
	return true;
}

/* False: one of them has ended. */
static bool pass_some(int from, int to)
{
	char buffer[RELAY_SIZE];
	ssize_t count = read(from, buffer, sizeof(buffer));

	if (count < 0 && errno == EINTR)
		return true;
	return count > 0 && write_all(to, buffer, (size_t)count);
}

struct trm_error *resume_relay(const char *session, const struct text *begun, int in,
			       int out)
{
	struct sockaddr_un address;
	scoped_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool goes_on = true;

	TRM_TRY(make_address(session, &address));
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return trm_error_create(TRM_ERROR_GONE,
					"the session is over: its agent has ended, and "
					"what it measured to the end is in its profile");
	goes_on = write_all(fd, begun->data, begun->length);
	while (goes_on) {
		struct pollfd ends[] = {{.fd = in, .events = POLLIN},
					{.fd = fd, .events = POLLIN}};

		if (poll(ends, array_count(ends), -1) < 0)
			continue;
		if (ends[0].revents)
			goes_on = pass_some(in, fd);
		if (goes_on && ends[1].revents)
			goes_on = pass_some(fd, out);
	}
	return NULL;
}
