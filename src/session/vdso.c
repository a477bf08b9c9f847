#include "session/vdso.h"

#include "base/cleanup.h"
#include "image/headers.h"
#include "image/image.h"
#include "session/signals.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Its headers are in the first page. */
enum { PAGE = 4096 };

/* Bytes of our own; 0: there is none. It is one segment from its start on. */
static uint64_t own_size(const void *own)
{
	struct headers headers;
	Elf64_Phdr segment;

	if (!own || !headers_open(own, PAGE, &headers) ||
	    !headers_find(&headers, PT_LOAD, &segment) || segment.p_offset)
		return 0;
	return segment.p_filesz;
}

/* Where another process has it; 0: nowhere. */
static uint64_t address_in(pid_t pid)
{
	Elf64_auxv_t values[64];
	int opened;

	if (remote_failed(remote_open(pid, "auxv", O_RDONLY, &opened)))
		return 0;
	scoped_fd int fd = opened;
	ssize_t got = read(fd, values, sizeof(values));

	for (ssize_t i = 0; i < got / (ssize_t)sizeof(*values); i++)
		if (values[i].a_type == AT_SYSINFO_EHDR)
			return values[i].a_un.a_val;
	return 0;
}

bool vdso_find_tables(pid_t pid, uint64_t pc, struct unwind_tables *ret_tables)
{
	const void *own = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	uint64_t size = own_size(own), address = size ? address_in(pid) : 0;
	struct image_unwind unwind;

	if (!address || pc - address >= size || !image_find_unwind(own, size, &unwind))
		return false;
	*ret_tables = (struct unwind_tables){
		.header = unwind.header + address,
		.start = unwind.start + address,
		.end = unwind.end + address,
		.bytes = unwind.bytes,
	};
	return true;
}
