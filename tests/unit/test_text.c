/* Comparing texts of a program with strings of the spool, by words. */
#include "runtime/store/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

enum { LONGEST = 40, PAGE = 4096 };

union known {
	struct context_string string;
	uint64_t words[8];
};

/* As strings.c keeps it: 0 up to a multiple of 8. */
static void keep(union known *known, const char *text)
{
	memset(known, 0, sizeof(*known));
	known->string.size = (uint32_t)strlen(text);
	memcpy(known->string.bytes, text, strlen(text));
}

/* The last bytes of a page with nothing behind it. */
static char *page_end(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
	memset(pages, 'x', PAGE);
	return pages + PAGE;
}

static void fill(char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		text[i] = (char)('a' + i % 26);
	text[size] = '\0';
}

/* Every text of every length, so far from the end of the page. */
static void check_distance(char *end, size_t distance)
{
	for (size_t size = 0; size <= LONGEST; size++) {
		char *text = end - size - 1 - distance;
		union known known;

		memset(end - distance, 'y', distance);
		fill(text, size);
		keep(&known, text);
		assert_true(text_is(&known.string, text));
		for (size_t i = 0; i < size; i++) {
			char was = text[i];

			text[i] = (char)(was ^ 0x80);
			assert_false(text_is(&known.string, text));
			text[i] = '\0';
			assert_false(text_is(&known.string, text));
			text[i] = was;
		}
		assert_true(text_is(&known.string, text));
	}
}

static void same_and_others(void **state)
{
	char *end = page_end();

	(void)state;
	for (size_t distance = 0; distance < 24; distance++)
		check_distance(end, distance);
	munmap(end - PAGE, 2 * PAGE);
}

/* The string is the beginning of the text, which ends where its page does. */
static void longer_texts(void **state)
{
	char *end = page_end(), text[LONGEST + 1];
	union known known;

	(void)state;
	for (size_t size = 0; size < LONGEST; size++) {
		for (size_t more = 1; size + more <= LONGEST; more++) {
			fill(text, size);
			keep(&known, text);
			fill(end - size - more - 1, size + more);
			assert_false(text_is(&known.string, end - size - more - 1));
		}
	}
	munmap(end - PAGE, 2 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_and_others),
		cmocka_unit_test(longer_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
