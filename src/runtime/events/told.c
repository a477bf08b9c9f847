#include "runtime/events/told.h"

#include "runtime/store/attributes.h"
#include "runtime/store/number.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "wire/told.h"

#include <errno.h>
#include <stdio.h>

__attribute__((visibility("default"), noinline)) void
trm_region_told(const char *text, uint64_t size, bool begins);

void trm_region_told(const char *text, uint64_t size, bool begins)
{
	__asm__ volatile("nopw 0(%%rax,%%rax)"
			 :
			 : "r"(text), "r"(size), "r"(begins)
			 : "memory");
}

/* "region=solve", cut to `size` bytes; returns its length. */
static int write_region(const struct context_attribute *attribute, uint64_t value,
			char *text, size_t size)
{
	const char *name = strings_at(attribute->name)->bytes;

	switch (attribute->type) {
	case TRM_TYPE_STRING:
		return snprintf(text, size, "%s=%s", name, strings_at(value)->bytes);
	case TRM_TYPE_INT:
		return snprintf(text, size, "%s=%lld", name, (long long)value);
	case TRM_TYPE_DOUBLE:
		return snprintf(text, size, "%s=%g", name, number_double(value));
	case TRM_TYPE_BOOL:
		return snprintf(text, size, "%s=%s", name, value ? "true" : "false");
	default:
		return snprintf(text, size, "%s=%llu", name, (unsigned long long)value);
	}
}

static void tell_region(const struct context_node *node, bool begins)
{
	const struct context_attribute *attribute = attributes_get(node->attribute);
	char text[WIRE_TOLD_MAX];
	int saved = errno, length;

	if (!attribute || attribute->properties & TRM_HIDDEN)
		return;
	length = write_region(attribute, node->value, text, sizeof(text));
	if (length >= (int)sizeof(text))
		length = sizeof(text) - 1;
	trm_region_told(text, (uint64_t)length, begins);
	errno = saved;
}

static void (*channels)(struct context_thread *thread, const struct runtime_event *event);

static void see_event(struct context_thread *thread, const struct runtime_event *event)
{
	if (event->kind <= RUNTIME_CHANGE)
		tell_region(event->node, event->kind != RUNTIME_END);
	channels(thread, event);
}

void told_begin(void)
{
	channels = runtime_hooks.event;
	runtime_hooks.event = see_event;
}
