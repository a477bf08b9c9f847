#include "debug/listen.h"

#include "base/cleanup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/syscall.h>
#include <unistd.h>

union address {
	struct sockaddr any;
	struct sockaddr_un path;
	struct sockaddr_in net;
};

static struct trm_error *wrong_address(const char *where)
{
	return trm_error_create(TRM_ERROR_USAGE,
				"'%s' is no address: unix:PATH or tcp:127.0.0.1:PORT",
				where);
}

static struct trm_error *parse_port(const char *where, const char *text,
				    union address *address)
{
	char host[64], *end;
	const char *colon = strrchr(text, ':');
	const size_t length = colon ? (size_t)(colon - text) : 0;

	if (!length || length >= sizeof(host))
		return wrong_address(where);
	memcpy(host, text, length);
	host[length] = '\0';
	const unsigned long port = strtoul(colon + 1, &end, 10);

	if (!colon[1] || *end || port > UINT16_MAX ||
	    inet_pton(AF_INET, host, &address->net.sin_addr) != 1)
		return wrong_address(where);
	if (ntohl(address->net.sin_addr.s_addr) >> 24 != 127)
		return trm_error_create(TRM_ERROR_USAGE,
					"'%s' is no address of this machine alone: use "
					"tcp:127.0.0.1:PORT",
					where);
	address->net.sin_family = AF_INET;
	address->net.sin_port = htons((uint16_t)port);
	return NULL;
}

static struct trm_error *parse_address(const char *where, union address *ret,
				       socklen_t *ret_size)
{
	memset(ret, 0, sizeof(*ret));
	if (!strncmp(where, "tcp:", 4)) {
		*ret_size = sizeof(ret->net);
		return parse_port(where, where + 4, ret);
	}
	if (strncmp(where, "unix:", 5) || !where[5])
		return wrong_address(where);
	if (strlen(where + 5) >= sizeof(ret->path.sun_path))
		return trm_error_create(TRM_ERROR_USAGE, "the path '%s' is too long",
					where + 5);
	ret->path.sun_family = AF_UNIX;
	strcpy(ret->path.sun_path, where + 5);
	*ret_size = sizeof(ret->path);
	return NULL;
}

/* A socket that nobody listens at any more is in the way. */
static void remove_old(const union address *address, socklen_t size)
{
	struct stat status;
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (!lstat(address->path.sun_path, &status) && S_ISSOCK(status.st_mode) &&
	    connect(fd, &address->any, size) && errno == ECONNREFUSED)
		unlink(address->path.sun_path);
	close(fd);
}

struct trm_error *listen_open(const char *where, int *ret_fd, int *ret_port)
{
	union address address;
	socklen_t size;
	const int yes = 1;

	TRM_TRY(parse_address(where, &address, &size));
	const bool local = address.any.sa_family == AF_UNIX;
	scoped_fd int fd = socket(address.any.sa_family,
				  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return trm_error_system(errno, "cannot listen at '%s'", where);
	if (local)
		remove_old(&address, size);
	else
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	const mode_t mask = umask(0177);
	const int failed = bind(fd, &address.any, size);
	const int why = errno;

	umask(mask);
	if (failed)
		return trm_error_system(why, "cannot listen at '%s'", where);
	*ret_port = 0;
	if (!local && !getsockname(fd, &address.any, &size))
		*ret_port = ntohs(address.net.sin_port);
	*ret_fd = take_fd(&fd);
	return NULL;
}

void listen_start(int listener, int message_fd, const char *message)
{
	listen(listener, 4);
	if (message_fd < 0)
		return;
	dprintf(message_fd, "%s\n", message);
	close(message_fd);
}

void listen_remove(const char *where)
{
	if (!strncmp(where, "unix:", 5))
		unlink(where + 5);
}

/* The user who has the other end of a connection on this machine, by the kernel's table
 * (proc(5), /proc/net/tcp); -1: it is not there. */
static long user_of(const struct sockaddr_in *peer, const struct sockaddr_in *own)
{
	char line[256];
	uint32_t from, to;
	unsigned int from_port, to_port, user;
	scoped_file FILE *file = fopen("/proc/net/tcp", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line,
			   " %*u: %" SCNx32 ":%x %" SCNx32
			   ":%x %*x %*x:%*x %*x:%*x %*x %u",
			   &from, &from_port, &to, &to_port, &user) == 5 &&
		    from == peer->sin_addr.s_addr && from_port == ntohs(peer->sin_port) &&
		    to == own->sin_addr.s_addr && to_port == ntohs(own->sin_port))
			return user;
	return -1;
}

static bool is_own_user(int fd)
{
	union address peer, own;
	socklen_t peer_size = sizeof(peer), own_size = sizeof(own);
	struct ucred who;
	socklen_t who_size = sizeof(who);
	long user = -1;

	memset(&peer, 0, sizeof(peer));
	memset(&own, 0, sizeof(own));
	if (getsockname(fd, &own.any, &own_size))
		return false;
	if (own.any.sa_family == AF_UNIX)
		user = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &who_size)
			       ? -1
			       : (long)who.uid;
	else if (!getpeername(fd, &peer.any, &peer_size))
		user = user_of(&peer.net, &own.net);
	return user == (long)geteuid() || user == 0;
}

int listen_accept(int listener)
{
	const int yes = 1;
	const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return -1;
	if (!is_own_user(fd)) {
		close(fd);
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	return fd;
}

int listen_parent(void)
{
	return (int)syscall(SYS_pidfd_open, getppid(), 0);
}

struct trm_error *listen_connect(const char *where, int *ret_fd)
{
	union address address;
	socklen_t size;

	TRM_TRY(parse_address(where, &address, &size));
	scoped_fd int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, &address.any, size))
		return trm_error_system(errno, "cannot connect to '%s'", where);
	*ret_fd = take_fd(&fd);
	return NULL;
}
