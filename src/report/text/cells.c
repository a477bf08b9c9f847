#include "report/text/cells.h"

#include "base/cleanup.h"
#include "report/text/grid.h"

#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

/* How wide a character is does not depend on the user's language. */
static int width_of(wchar_t character)
{
	static locale_t unicode;
	locale_t before;
	int width;

	if (!unicode)
		unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	if (!unicode)
		return 1;
	before = uselocale(unicode);
	width = wcwidth(character);
	uselocale(before);
	return width < 0 ? 1 : width;
}

/* Reads a character; returns its length in bytes, 1 for a byte that begins none. */
static size_t read_character(const char *string, int *ret_width)
{
	static const uint8_t lead_bits[] = {0, 0, 0x1f, 0x0f, 0x07};
	const uint8_t first = (uint8_t)*string;
	const size_t length = first < 0xc2   ? 1
			      : first < 0xe0 ? 2
			      : first < 0xf0 ? 3
			      : first < 0xf5 ? 4
					     : 1;
	uint32_t character = first & lead_bits[length];

	*ret_width = 1;
	if (length == 1)
		return 1;
	for (size_t i = 1; i < length; i++) {
		if (((uint8_t)string[i] & 0xc0) != 0x80)
			return 1;
		character = character << 6 | ((uint8_t)string[i] & 0x3f);
	}
	*ret_width = width_of((wchar_t)character);
	return length;
}

size_t cells_fit(const char *string, size_t columns, size_t *ret_used)
{
	size_t bytes = 0, used = 0;

	while (string[bytes]) {
		int width;
		const size_t length = read_character(string + bytes, &width);

		if (used + (size_t)width > columns)
			break;
		used += (size_t)width;
		bytes += length;
	}
	*ret_used = used;
	return bytes;
}

size_t cells_of(const char *string)
{
	size_t used;

	cells_fit(string, SIZE_MAX, &used);
	return used;
}

void cells_add(struct text *out, const char *string, size_t columns)
{
	struct text visible = {0};
	size_t used, bytes;

	text_add(&visible, "");
	report_add_visible(&visible, string);
	bytes = cells_fit(visible.data, columns, &used);
	text_add_bytes(out, visible.data, bytes);
	text_format(out, "%*s", (int)(columns - used), "");
	text_deinit(&visible);
}

bool cells_are_unicode(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}
