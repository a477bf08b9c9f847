#include "runtime/channel/filename.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/settings.h"
#include "runtime/store/attributes.h"
#include "runtime/store/number.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "runtime/store/values.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct expanded {
	char text[4096];
	size_t length;
};

static void add_text(struct expanded *expanded, const char *text, size_t length)
{
	if (expanded->length + length >= sizeof(expanded->text))
		length = sizeof(expanded->text) - 1 - expanded->length;
	memcpy(expanded->text + expanded->length, text, length);
	expanded->length += length;
}

/* A global, or a value that is open in this thread. The thread is busy. */
static void add_value(struct expanded *expanded, const char *name)
{
	uint32_t number = attributes_find(name);
	const struct context_attribute *known = attributes_get(number);
	uint64_t bits = 0;
	char text[64];
	bool found = known && values_get_process(number, &bits);

	for (const struct context_node *node = runtime_self->node;
	     known && !found && node->parent; node = node->parent) {
		found = node->attribute == number;
		bits = node->value;
	}
	if (!found)
		return;
	if (known->type == TRM_TYPE_STRING) {
		add_text(expanded, strings_at(bits)->bytes, strings_at(bits)->size);
		return;
	}
	if (known->type == TRM_TYPE_DOUBLE)
		snprintf(text, sizeof(text), "%g", number_double(bits));
	else
		snprintf(text, sizeof(text), "%lld", (long long)bits);
	add_text(expanded, text, strlen(text));
}

static void add_named(struct expanded *expanded, const char *name)
{
	char text[256] = "";

	if (!strcmp(name, "pid"))
		snprintf(text, sizeof(text), "%d", (int)getpid());
	else if (!strcmp(name, "host"))
		gethostname(text, sizeof(text) - 1);
	else if (!strcmp(name, "program"))
		snprintf(text, sizeof(text), "%s", program_invocation_short_name);
	else
		add_value(expanded, name);
	add_text(expanded, text, strlen(text));
}

/* Before the ending: a child's file is not its parent's. */
static void add_child(struct expanded *expanded)
{
	const char *slash = memrchr(expanded->text, '/', expanded->length);
	const char *name = slash ? slash + 1 : expanded->text;
	char *dot = strrchr(expanded->text, '.');
	char ending[64] = "", own[32];

	if (dot && dot > name && strlen(dot) < sizeof(ending)) {
		strcpy(ending, dot);
		expanded->length = (size_t)(dot - expanded->text);
	}
	snprintf(own, sizeof(own), "-%d", (int)getpid());
	add_text(expanded, own, strlen(own));
	add_text(expanded, ending, strlen(ending));
}

const char *filename_expand(const char *pattern, const char *folder)
{
	struct expanded expanded = {.length = 0};
	bool stream = !strcmp(pattern, "stdout") || !strcmp(pattern, "stderr");
	char name[128];

	if (!strcmp(pattern, "none"))
		return NULL;
	if (stream)
		return pattern;
	if (*folder && *pattern != '/') {
		add_text(&expanded, folder, strlen(folder));
		add_text(&expanded, "/", 1);
	}
	while (*pattern) {
		const char *end = *pattern == '%' ? strchr(pattern + 1, '%') : NULL;

		if (!end || (size_t)(end - pattern) > sizeof(name)) {
			add_text(&expanded, pattern++, 1);
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(end - pattern - 1),
			 pattern + 1);
		add_named(&expanded, name);
		pattern = end + 1;
	}
	expanded.text[expanded.length] = '\0';
	if (channel_is_child())
		add_child(&expanded);
	return settings_keep(expanded.text, expanded.length);
}
