#include "runtime/store/folder.h"
#include "runtime/store/lock.h"
#include "runtime/store/spool.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
	char path[4096];
	pid_t owner; /* 0: there is none */
} folder;

const char *folder_make(void)
{
	const char *place = getenv("TMPDIR");

	snprintf(folder.path, sizeof(folder.path), "%s/trammel-XXXXXX",
		 place && *place ? place : "/tmp");
	if (!mkdtemp(folder.path)) {
		folder.path[0] = '\0';
		return NULL;
	}
	folder.owner = getpid();
	return folder.path;
}

const char *folder_path(void)
{
	return folder.path;
}

bool folder_is_own(void)
{
	return folder.owner && folder.owner == getpid();
}

void folder_remove(void)
{
	DIR *entries = opendir(folder.path);
	struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
	rmdir(folder.path);
}

void folder_leave(bool kept)
{
	if (runtime_sealed || !folder.owner)
		return;
	if (folder_is_own())
		folder_remove();
	else if (kept)
		unlink(spool_path());
}
