/*
 * Debug files that a file names itself: its section .gnu_debuglink has a name, 0 bytes up
 * to a multiple of 4, and the CRC-32 of the debug file (GDB's manual, "Separate Debug
 * Files").
 */
#include "image/read/debuglink.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "image/bytes.h"

#include <fcntl.h>
#include <lzma.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct bytes image_map_file(const char *path)
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	void *data;

	if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
	    status.st_size <= 0)
		return (struct bytes){0};
	data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return (struct bytes){0};
	return (struct bytes){data, (size_t)status.st_size};
}

void image_unmap_file(struct bytes bytes)
{
	if (bytes.size)
		munmap((void *)(uintptr_t)bytes.data, bytes.size);
}

/* The name and the sum; false if there are none. */
static bool read_link(const struct elf_file *elf, const char **ret_name,
		      uint32_t *ret_sum)
{
	const Elf64_Shdr *section = image_section_named(elf, ".gnu_debuglink");
	struct bytes bytes =
		section ? image_section_bytes(elf, section) : (struct bytes){0};
	const uint8_t *end = bytes.size ? memchr(bytes.data, 0, bytes.size) : NULL;
	struct bytes sum;

	if (!end || end == bytes.data ||
	    !image_slice(bytes, ((uint64_t)(end - bytes.data) + 4) & ~3ull,
			 sizeof(*ret_sum), &sum))
		return false;
	*ret_name = (const char *)bytes.data;
	memcpy(ret_sum, sum.data, sizeof(*ret_sum));
	return !strchr(*ret_name, '/');
}

static bool sum_fits(const char *path, uint32_t sum)
{
	struct bytes bytes = image_map_file(path);
	bool fits = bytes.size && lzma_crc32(bytes.data, bytes.size, 0) == sum;

	image_unmap_file(bytes);
	return fits;
}

bool image_debuglink_path(const struct image *image, const struct elf_file *elf,
			  struct text *path)
{
	static const char *const forms[] = {"%s/%s", "%s/.debug/%s",
					    "/usr/lib/debug%s/%s"};
	scoped_free char *real = realpath(image->path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	const char *name;
	uint32_t sum;

	if (!slash || !read_link(elf, &name, &sum))
		return false;
	*slash = '\0';
	for (size_t i = 0; i < array_count(forms); i++) {
		path->length = 0;
		text_format(path, forms[i], real, name);
		/* A file may bear the name that it was given when it was stripped. */
		if ((i || strcmp(name, slash + 1) != 0) && sum_fits(path->data, sum))
			return true;
	}
	return false;
}
