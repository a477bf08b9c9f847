#include "store/sql/address.h"

#include "base/array.h"
#include "base/text.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

static const char *const schemes[] = {"postgresql://", "postgres://"};

static const char *skip_scheme(const char *address)
{
	for (size_t i = 0; i < array_count(schemes); i++)
		if (!strncmp(address, schemes[i], strlen(schemes[i])))
			return address + strlen(schemes[i]);
	return NULL;
}

bool address_is_server(const char *address)
{
	return skip_scheme(address);
}

/* A part of an address. */
struct part {
	size_t start, length;
};

enum { PASSWORDS_MAX = 8 };

/* Where passwords are: between the name of the user and the host, and as parameters. A
 * password may have an @ in it that should have been written %40. */
static size_t find_passwords(const char *address, struct part ret_parts[PASSWORDS_MAX])
{
	static const char *const names[] = {"password=", "sslpassword="};
	const char *begin = skip_scheme(address);
	size_t count = 0;

	if (!begin)
		return 0;
	const char *end = begin + strcspn(begin, "/?");
	const char *colon = memchr(begin, ':', (size_t)(end - begin));
	const char *host = memrchr(begin, '@', strlen(begin));

	/* A slash that belongs to the password comes before its @. */
	if (host && colon && colon < host &&
	    (host < end || !strchr(begin, '?') || host < strchr(begin, '?')))
		ret_parts[count++] = (struct part){(size_t)(colon + 1 - address),
						   (size_t)(host - colon - 1)};
	const char *query = strchr(begin, '?');

	for (; query && count < PASSWORDS_MAX; query = strchr(query + 1, '&'))
		for (size_t i = 0; i < array_count(names); i++) {
			const size_t length = strlen(names[i]);

			if (strncmp(query + 1, names[i], length) != 0)
				continue;
			const char *value = query + 1 + length;

			ret_parts[count++] = (struct part){(size_t)(value - address),
							   strcspn(value, "&")};
			break;
		}
	return count;
}

char *address_show(const char *address)
{
	struct part parts[PASSWORDS_MAX];
	const size_t count = find_passwords(address, parts);
	struct text text = {0};
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		if (parts[i].start < at)
			continue;
		text_add_bytes(&text, address + at, parts[i].start - at);
		text_add(&text, "***");
		at = parts[i].start + parts[i].length;
	}
	text_add(&text, address + at);
	return text.data;
}

void address_hide(char *address)
{
	struct part parts[PASSWORDS_MAX];
	const size_t count = find_passwords(address, parts);

	for (size_t i = 0; i < count; i++)
		memset(address + parts[i].start, 'x', parts[i].length);
}
