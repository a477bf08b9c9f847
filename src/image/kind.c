#include "image/kind.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

enum image_kind image_probe(int fd)
{
	Elf64_Ehdr header = {0};
	ssize_t size = pread(fd, &header, sizeof(header), 0);

	if (size >= 2 && memcmp(header.e_ident, "#!", 2) == 0)
		return IMAGE_KIND_SCRIPT;
	if (size < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return IMAGE_KIND_OTHER;
	if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
		return IMAGE_KIND_FOREIGN;
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return IMAGE_KIND_OTHER;
	return size == sizeof(header) ? IMAGE_KIND_NATIVE : IMAGE_KIND_OTHER;
}

bool image_is_static(int fd)
{
	Elf64_Ehdr header = {0};
	Elf64_Phdr segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	for (size_t i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment) ||
		    segment.p_type == PT_INTERP)
			return false;
	}
	return header.e_phnum > 0;
}
