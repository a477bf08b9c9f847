#include "image/read/give_back.h"

#include <sys/mman.h>

void image_give_back(const struct reader *reader)
{
	if (!reader->gives_back)
		return;
	madvise((void *)(uintptr_t)reader->image->bytes, reader->image->size,
		MADV_DONTNEED);
	if (reader->debug_file.size)
		madvise((void *)(uintptr_t)reader->debug_file.data,
			reader->debug_file.size, MADV_DONTNEED);
}
