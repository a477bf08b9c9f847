#include "session/follow/rights.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static uint64_t effective_number(pid_t pid, const char *field)
{
	char path[64], line[256];
	unsigned long real, effective_id = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, field, strlen(field)) &&
		    sscanf(line + strlen(field), ":%lu %lu", &real, &effective_id) == 2)
			break;
	if (file)
		fclose(file);
	return effective_id;
}

bool rights_change_of(pid_t pid, int fd)
{
	struct stat status;
	char capability[64];

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return false;
	if ((status.st_mode & S_ISUID) && status.st_uid != effective_number(pid, "Uid"))
		return true;
	if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	    status.st_gid != effective_number(pid, "Gid"))
		return true;
	return fgetxattr(fd, "security.capability", capability, sizeof(capability)) > 0 &&
	       effective_number(pid, "Uid") != 0;
}

bool rights_change_by(pid_t pid, pid_t tid, const char *path)
{
	char name[4200];

	snprintf(name, sizeof(name), "/proc/%d/%s%s", tid,
		 path[0] == '/' ? "root" : "cwd/", path);
	int fd = open(name, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return false;
	/* O_PATH: the file need not be readable. Attributes want its name in /proc then.
	 */
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	int readable = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool changes = rights_change_of(pid, readable >= 0 ? readable : fd);

	close(fd);
	if (readable >= 0)
		close(readable);
	return changes;
}
