#include "session/modules/mapped.h"

#include "control/maps.h"
#include "control/remote.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Line ends, the only characters that the kernel writes as numbers there (proc(5)),
 * become what they were. */
static void decode_path(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		const bool is_line_end = !strncmp(from, "\\012", 4);

		*to = is_line_end ? '\n' : *from;
		from += is_line_end ? 4 : 1;
	}
	*to = '\0';
}

static int open_rooted(pid_t pid, const char *path)
{
	int fd;

	return remote_failed(remote_open(pid, path, O_RDONLY, &fd)) ? -1 : fd;
}

/* Links of map_files need rights that only root has: by its name then, which may have a
 * number in it, too. */
static int open_any(pid_t pid, const struct mapping *mapping, const char *path)
{
	char name[64], rooted[PATH_MAX + 64];
	int fd;

	snprintf(name, sizeof(name), "map_files/%lx-%lx", mapping->start, mapping->end);
	fd = open_rooted(pid, name);
	if (fd >= 0)
		return fd;
	snprintf(rooted, sizeof(rooted), "root%s", path);
	fd = open_rooted(pid, rooted);
	if (fd >= 0 || !strstr(rooted, "\\012"))
		return fd;
	decode_path(rooted);
	return open_rooted(pid, rooted);
}

int mapped_open(pid_t pid, const struct mapping *mapping, const char *path,
		struct stat *ret_status)
{
	int fd = open_any(pid, mapping, path);

	if (fd < 0)
		return -1;
	if (fstat(fd, ret_status) || !S_ISREG(ret_status->st_mode) ||
	    ret_status->st_ino != mapping->inode) {
		close(fd);
		return -1;
	}
	return fd;
}
