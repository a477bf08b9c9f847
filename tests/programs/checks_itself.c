// build: gcc -O2 -fno-toplevel-reorder
// build(range): gcc -O2 -fno-toplevel-reorder -DRANGE
// build(static): gcc -O2 -fno-toplevel-reorder -static
// build(range-static): gcc -O2 -fno-toplevel-reorder -static -DRANGE
// output: right 1000 times
// expect: function=work calls=1000 or-skipped
// expect: function=sealed calls=1000 or-skipped
/* As BoringSSL does in FIPS mode: compares its code with what it was built as. With RANGE
 * only the code between two symbols, which are known by their names. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALED __attribute__((noinline, section("sealed_text")))

__asm__(".pushsection sealed_text, \"ax\"\n"
#ifdef RANGE
	"BORINGSSL_bcm_text_start:\n"
#endif
	".popsection");

static SEALED int sealed(int n)
{
	return n * 7 % 31 + 1;
}

static SEALED int sealed_too(int n)
{
	return n % 3 ? sealed(n) : n;
}

#ifdef RANGE
__asm__(".pushsection sealed_text, \"ax\"\n"
	"BORINGSSL_bcm_text_end:\n"
	".popsection");
#endif

extern const char __start_sealed_text[], __stop_sealed_text[];

static __attribute__((noinline)) int work(int n)
{
	return sealed(n) > 0 && sealed_too(3) == 3;
}

static int compare(struct dl_phdr_info *info, size_t size, void *file)
{
	const char *bytes = file;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const char *start = (const char *)(info->dlpi_addr + segment->p_vaddr);
		size_t length = segment->p_filesz, skip = 0;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
#ifdef RANGE
		skip = (size_t)(__start_sealed_text - start);
		length = (size_t)(__stop_sealed_text - start) - skip;
#endif
		if (memcmp(start + skip, bytes + segment->p_offset + skip, length) != 0) {
			fputs("FIPS integrity test failed.\n", stderr);
			abort();
		}
	}
	return 1;
}

static void check(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		abort();
	char *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (file == MAP_FAILED)
		abort();
	dl_iterate_phdr(compare, file);
}

int main(void)
{
	int right = 0;

	check();
	for (int i = 0; i < 1000; i++)
		right += work(i);
	check();
	printf("right %d times\n", right);
	return 0;
}
