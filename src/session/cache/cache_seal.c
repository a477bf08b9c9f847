#include "session/cache/cache_seal.h"

#include "base/cleanup.h"
#include "base/table.h"
#include "base/text.h"
#include "session/cache/cache_key.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x6c6165736c6d7274u /* "trmlseal" */

/* A time of a file that is this old will not be given out again. */
#define SETTLED_SECONDS 2

struct seal {
	uint64_t magic;
	struct file_identity identity;
	char boot[40]; /* of the kernel that runs, as text */
	uint64_t checksum;
};

static uint64_t checksum_of(const struct seal *seal)
{
	return hash_bytes(seal, offsetof(struct seal, checksum));
}

/* False if it is not known which boot this is. */
static bool make_seal(const struct stat *status, struct seal *ret_seal)
{
	scoped_fd int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(ret_seal, 0, sizeof(*ret_seal));
	ret_seal->magic = MAGIC;
	ret_seal->identity = file_identity_of(status);
	if (fd < 0 || read(fd, ret_seal->boot, sizeof(ret_seal->boot)) <= 0)
		return false;
	ret_seal->checksum = checksum_of(ret_seal);
	return true;
}

bool seal_is_trusted(const struct stat *status)
{
	return S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH));
}

bool seal_is_good(const char *path, const struct stat *status)
{
	struct seal expected, found;
	struct text name = {0};
	struct stat own;

	text_format(&name, "%s" SEAL_SUFFIX, path);
	scoped_fd int fd = open(name.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	text_deinit(&name);
	if (fd < 0 || fstat(fd, &own) || !seal_is_trusted(&own) ||
	    own.st_size != sizeof(found) ||
	    read(fd, &found, sizeof(found)) != sizeof(found) ||
	    !make_seal(status, &expected) ||
	    memcmp(&found, &expected, sizeof(found)) != 0)
		return false;
	futimens(fd, NULL);
	return true;
}

static bool is_settled(const struct stat *status)
{
	int64_t latest = time(NULL) - SETTLED_SECONDS;

	return status->st_ctim.tv_sec < latest && status->st_mtim.tv_sec < latest;
}

void seal_write(const char *path, const struct stat *status)
{
	struct text name = {0}, temporary = {0};
	struct seal seal;

	if (!is_settled(status) || !make_seal(status, &seal))
		return;
	text_format(&name, "%s" SEAL_SUFFIX, path);
	text_format(&temporary, "%s.%d", name.data, getpid());
	scoped_fd int fd =
		open(temporary.data,
		     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0 && (write(fd, &seal, sizeof(seal)) != sizeof(seal) ||
			rename(temporary.data, name.data)))
		unlink(temporary.data);
	text_deinit(&temporary);
	text_deinit(&name);
}
