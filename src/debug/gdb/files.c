/* See GDB's manual, "Host I/O Packets". Nothing is written. */
#include "debug/gdb/files.h"

#include "base/array.h"
#include "debug/gdb/packet.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Errors have the numbers of the protocol, which are those of this system where both have
 * them. */
static void send_error(struct gdb *gdb, int why)
{
	struct text text = {0};

	text_format(&text, "F-1,%x", (unsigned int)(why == ENAMETOOLONG ? 91 : why));
	gdb_send(gdb, text.data);
	text_deinit(&text);
}

static void send_value(struct gdb *gdb, uint64_t value, const char *bytes, size_t size)
{
	struct text text = {0};

	text_format(&text, "F%lx", (unsigned long)value);
	if (bytes) {
		text_add(&text, ";");
		text_add_bytes(&text, bytes, size);
	}
	gdb_send_bytes(gdb, text.data, text.length);
	text_deinit(&text);
}

static void read_path(const char *rest, char path[PATH_MAX])
{
	path[gdb_read_hex(rest, path, PATH_MAX - 1)] = '\0';
}

static int *file_of(struct gdb *gdb, const char **rest)
{
	const uint64_t number = gdb_read_number(rest);

	return number < GDB_FILES && gdb->files[number] ? &gdb->files[number] : NULL;
}

static void answer_open(struct gdb *gdb, const char *rest)
{
	char path[PATH_MAX];
	uint64_t flags, i = 0;
	const char *comma = strchr(rest, ',');

	read_path(rest, path);
	if (comma)
		comma++;
	flags = comma ? gdb_read_number(&comma) : 0;
	while (i < GDB_FILES && gdb->files[i])
		i++;
	if (flags & 3 || i == GDB_FILES) {
		send_error(gdb, flags & 3 ? EROFS : EMFILE);
		return;
	}
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		send_error(gdb, errno);
		return;
	}
	gdb->files[i] = fd + 1;
	send_value(gdb, i, NULL, 0);
}

static void answer_close(struct gdb *gdb, const char *rest)
{
	int *file = file_of(gdb, &rest);

	if (!file) {
		send_error(gdb, EBADF);
		return;
	}
	close(*file - 1);
	*file = 0;
	send_value(gdb, 0, NULL, 0);
}

static void answer_pread(struct gdb *gdb, const char *rest)
{
	char bytes[GDB_PACKET / 2];
	const int *file = file_of(gdb, &rest);

	rest += *rest == ',';
	const uint64_t size = gdb_read_number(&rest);

	rest += *rest == ',';
	const uint64_t offset = gdb_read_number(&rest);
	const ssize_t n =
		file ? pread(*file - 1, bytes,
			     size < sizeof(bytes) ? size : sizeof(bytes), (off_t)offset)
		     : -1;

	if (n < 0)
		send_error(gdb, file ? errno : EBADF);
	else
		send_value(gdb, (uint64_t)n, bytes, (size_t)n);
}

/* struct fst of the protocol: all numbers big-endian. */
static void answer_fstat(struct gdb *gdb, const char *rest)
{
	const int *file = file_of(gdb, &rest);
	struct stat status;
	struct __attribute__((packed)) {
		uint32_t device, inode, mode, links, user, group, rdev;
		uint64_t size, block_size, blocks;
		uint32_t accessed, modified, changed;
	} out = {0};

	if (!file || fstat(*file - 1, &status)) {
		send_error(gdb, file ? errno : EBADF);
		return;
	}
	out.device = htobe32((uint32_t)status.st_dev);
	out.inode = htobe32((uint32_t)status.st_ino);
	out.mode = htobe32(status.st_mode);
	out.links = htobe32((uint32_t)status.st_nlink);
	out.user = htobe32(status.st_uid);
	out.group = htobe32(status.st_gid);
	out.size = htobe64((uint64_t)status.st_size);
	out.block_size = htobe64((uint64_t)status.st_blksize);
	out.blocks = htobe64((uint64_t)status.st_blocks);
	out.modified = htobe32((uint32_t)status.st_mtime);
	send_value(gdb, sizeof(out), (const char *)&out, sizeof(out));
}

static void answer_readlink(struct gdb *gdb, const char *rest)
{
	char path[PATH_MAX], target[PATH_MAX];

	read_path(rest, path);
	const ssize_t n = readlink(path, target, sizeof(target));

	if (n < 0)
		send_error(gdb, errno);
	else
		send_value(gdb, (uint64_t)n, target, (size_t)n);
}

static void answer_setfs(struct gdb *gdb, const char *rest)
{
	(void)rest;
	send_value(gdb, 0, NULL, 0);
}

void gdb_answer_file(struct gdb *gdb, char *packet, size_t size)
{
	static const struct {
		const char *begin;
		void (*answer)(struct gdb *gdb, const char *rest);
	} operations[] = {
		{"vFile:open:", answer_open},         {"vFile:close:", answer_close},
		{"vFile:pread:", answer_pread},       {"vFile:fstat:", answer_fstat},
		{"vFile:readlink:", answer_readlink}, {"vFile:setfs:", answer_setfs},
	};

	(void)size;
	for (size_t i = 0; i < array_count(operations); i++) {
		const size_t length = strlen(operations[i].begin);

		if (strncmp(packet, operations[i].begin, length))
			continue;
		operations[i].answer(gdb, packet + length);
		return;
	}
	gdb_send(gdb, "");
}

void gdb_close_files(struct gdb *gdb)
{
	for (size_t i = 0; i < GDB_FILES; i++) {
		if (gdb->files[i])
			close(gdb->files[i] - 1);
		gdb->files[i] = 0;
	}
}
