#include "session/modules/mapped.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "control/maps.h"
#include "control/remote.h"
#include "image/headers.h"

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

uint64_t mapped_bias(pid_t pid, const struct mapping *mapping, const char *path)
{
	struct stat status;
	struct headers headers;
	Elf64_Phdr segment;
	scoped_fd int fd = mapped_open(pid, mapping, path, &status);
	uint8_t bytes[PAGE]; /* linkers put program headers first */
	const ssize_t size = fd < 0 ? -1 : pread(fd, bytes, sizeof(bytes), 0);

	if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    !headers_open(bytes, (size_t)size, &headers))
		return 0;
	for (unsigned i = 0; headers_read(&headers, i, &segment); i++)
		if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
		    segment.p_offset / PAGE * PAGE == mapping->file_offset)
			return mapping->start - segment.p_vaddr / PAGE * PAGE;
	return 0;
}
