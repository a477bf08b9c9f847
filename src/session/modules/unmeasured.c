#include "session/modules/unmeasured.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "control/maps.h"
#include "control/remote.h"
#include "session/modules/mapped.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that are only memory: what is executed there was made at run time. */
static bool is_memory(const char *path)
{
	static const char *const starts[] = {"/memfd:", "/dev/", "/SYSV",
					     "/anon_hugepage"};

	for (size_t i = 0; i < array_count(starts); i++)
		if (!strncmp(path, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Whether it is one as far as that can be told. */
static bool is_elf(pid_t pid, const struct mapping *mapping, const char *path)
{
	struct stat status;
	char magic[SELFMAG] = "";
	scoped_fd int fd = mapped_open(pid, mapping, path, &status);

	return fd >= 0 && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

const char *unmeasured_reason(pid_t pid, const struct maps *maps,
			      const struct mapping *mapping)
{
	const char *path = maps_path(maps, mapping), *reason = NULL;

	if (!mapping->executable || !mapping->inode || path[0] != '/' || is_memory(path))
		return NULL;
	if (mapping->writable)
		reason = "its code may be written to while it runs (rwx)";
	else if (mapping->shared)
		reason = "its code is mapped shared";
	return reason && is_elf(pid, mapping, path) ? reason : NULL;
}

void unmeasured_part(struct module_file *file)
{
	if (!file->trouble)
		file->trouble = memory_copy_string(
			"a part of its code may be written to while it runs (rwx)");
}

struct module_file *unmeasured_file(struct session *session,
				    const struct mapping *mapping, const char *reason)
{
	const char *path = maps_path(&session->maps, mapping);
	struct module_file *file;

	vector_for_each (&session->files, known)
		if ((*known)->trouble && !(*known)->plan &&
		    !strcmp((*known)->path, path) && !strcmp((*known)->trouble, reason))
			return *known;
	file = memory_allocate_zeroed(1, sizeof(*file));
	file->index = (uint32_t)session->files.count;
	file->identity.device = mapping->device;
	file->identity.inode = mapping->inode;
	file->path = memory_copy_string(path);
	file->name = memory_copy_string(strrchr(path, '/') + 1);
	file->trouble = memory_copy_string(reason);
	vector_push(&session->files, file);
	return file;
}
