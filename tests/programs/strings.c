// build: gcc -O2 -fno-builtin
// build(static): gcc -O2 -fno-builtin -static
// output: right 158400
// expect: function=round_of_tests calls=3600
/* The C library's hand-written string functions, at many sizes, places and page ends. */
#include "lib/test.h"

#include <string.h>
#include <sys/mman.h>
#include <wchar.h>

enum { PAGE = 4096 };

static char *end, copy[PAGE + 64], other[PAGE + 64];

/* Functions that write. */
static int right_writes(char *text, size_t size)
{
	int right = 0;

	memset(copy, '#', sizeof(copy));
	right += memcpy(copy, text, size) == copy && memcmp(copy, text, size) == 0;
	right += copy[size] == '#';
	right += mempcpy(copy, text, size) == copy + size;
	right += memmove(copy + 1, copy, size) == copy + 1 &&
		 memcmp(copy + 1, text, size) == 0;
	right += memset(copy, 'y', size) == copy && memchr(copy, '#', size) == NULL;
	right += strcpy(other, text) == other && strcmp(other, text) == 0;
	right += stpcpy(other, text) == other + strlen(text);
	right += strncpy(other, text, size) == other && memcmp(other, text, size) == 0;
	right += strcat(other, "!") == other && strlen(other) == size;
	right += memccpy(other, text, 0, size) == other + size;
	explicit_bzero(other, size);
	right += other[0] == 0 && other[size - 1] == 0;
	return right;
}

/* Functions that read; the text ends where its page does. */
static int right_reads(char *text, size_t size)
{
	int right = 0;

	right += strlen(text) == size - 1;
	right += strnlen(text, size) == size - 1;
	right += strchr(text, 'z') == text + size - 2;
	right += strrchr(text, 'z') == text + size - 2;
	right += strchrnul(text, '?') == text + size - 1;
	right += memchr(text, 'z', size) == text + size - 2;
	right += memrchr(text, 'z', size) == text + size - 2;
	right += rawmemchr(text, 'z') == text + size - 2;
	right += strstr(text, "z") == text + size - 2;
	right += strpbrk(text, "qz") == text + size - 2;
	right += strcspn(text, "z") == size - 2;
	return right;
}

/* Functions that compare. */
static int right_compares(char *text, size_t size)
{
	int right = 0;

	memcpy(other, text, size);
	right += memcmp(text, other, size) == 0;
	right += strcmp(text, other) == 0;
	right += strncmp(text, other, size) == 0;
	right += strcasecmp(text, other) == 0;
	right += strspn(text, "az") == size - 1;
	other[size - 2] = 'A';
	right += memcmp(text, other, size) > 0;
	right += strcmp(text, other) > 0 && strncmp(other, text, size) < 0;
	right += strcasecmp(text, other) > 0;
	right += strncasecmp(text, other, size - 2) == 0;
	right += strcoll(text, other) > 0;
	right += memmem(text, size, "z", 1) == text + size - 2;
	return right;
}

static int right_wide(size_t size)
{
	wchar_t text[300], wide[300];
	int right = 0;

	size = size % 290 + 2;
	wmemset(text, L'a', size);
	text[size - 1] = 0;
	right += wcslen(text) == size - 1;
	right += wmemcmp(text, text, size) == 0;
	right += wcscpy(wide, text) == wide && wcscmp(wide, text) == 0;
	right += wcschr(text, L'b') == NULL && wcsrchr(text, L'a') == text + size - 2;
	right += wmemchr(text, 0, size) == text + size - 1;
	right += wcsnlen(text, 3) <= 3;
	right += wcsncmp(text, wide, size) == 0;
	right += wmemmove(wide + 1, wide, size) == wide + 1;
	right += wmempcpy(wide, text, size) == wide + size;
	right += wcscat(wide, L"x") == wide;
	right += wcslen(wide) == size;
	return right;
}

KEPT static int round_of_tests(size_t size)
{
	char *text = end - size;

	memset(text, 'a', size);
	text[size - 2] = 'z';
	text[size - 1] = '\0';
	return right_writes(text, size) + right_reads(text, size) +
	       right_compares(text, size) + right_wide(size);
}

int main(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int right = 0;

	CHECK(pages != MAP_FAILED && mprotect(pages + PAGE, PAGE, PROT_NONE) == 0);
	end = pages + PAGE;
	for (size_t size = 3; size < 3603; size++)
		right += round_of_tests(size);
	printf("right %d\n", right);
	return 0;
}
