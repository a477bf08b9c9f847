#include "session/position/vdso.h"

#include "base/page.h"
#include "control/remote.h"
#include "image/headers.h"

#include <sys/auxv.h>

/* Size in bytes of the first page, which has the vDSO's headers. */

/* Returns the size in bytes of the tracer's own vDSO; 0: it has none. It is one
 * segment from its start on. */
static uint64_t own_size(const void *own)
{
	struct headers headers;
	Elf64_Phdr segment;

	if (!own || !headers_open(own, PAGE, &headers) ||
	    !headers_find(&headers, PT_LOAD, &segment) || segment.p_offset)
		return 0;
	return segment.p_filesz;
}

bool vdso_find_tables(pid_t pid, uint64_t pc, struct unwind_tables *ret_tables)
{
	const void *own = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	uint64_t size = own_size(own), address = 0;
	struct image_unwind unwind;

	if (size)
		address = remote_auxiliary_value(pid, AT_SYSINFO_EHDR);
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
