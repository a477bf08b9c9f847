#include "runtime/service/print_path.h"
#include "runtime/store/attributes.h"
#include "runtime/store/strings.h"

#include <stdio.h>
#include <string.h>

size_t print_path(char *text, size_t size, const struct context_node *node,
		  uint32_t attribute)
{
	size_t at = size;

	for (; node->parent; node = node->parent) {
		const struct context_attribute *known = attributes_get(node->attribute);
		char number[32];
		const char *value = number;

		if (attribute && node->attribute != attribute)
			continue;
		snprintf(number, sizeof(number), "%lld", (long long)node->value);
		if (known->type == TRM_TYPE_STRING)
			value = strings_at(node->value)->bytes;
		size_t length = strlen(value);

		if (length + 1 > at)
			break;
		if (at < size)
			text[--at] = '/';
		at -= length;
		memcpy(text + at, value, length);
	}
	return at;
}
