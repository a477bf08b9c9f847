/*
 * NVIDIA's NVTX: the first annotation of a program loads the library that
 * NVTX_INJECTION64_PATH names, which puts its functions into the program's tables
 * (nvtxTypes.h of github.com/NVIDIA/NVTX). Ranges become regions; what functions return
 * is what they return without a tool, but for numbers of ranges, domains and strings.
 */
#include "runtime/foreign/ranges.h"
#include "runtime/store/strings.h"

#include <string.h>
#include <wchar.h>

#define PUBLIC __attribute__((visibility("default")))

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
	size_t size;
	int (*get_functions)(int module, nvtx_function ***ret_table, unsigned *ret_count);
};

typedef const void *nvtx_get_table(uint32_t number);

enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };

/* nvtxEventAttributes_t, version 2. */
struct nvtx_event {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

enum { MESSAGE_TEXT = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

enum { NO_LEVELS = -2 /* NVTX_NO_PUSH_POP_TRACKING */, TEXT_MAX = 512 };

/* Registered strings and domains are strings of the spool. */
static const void *keep_text(const char *text)
{
	return (const void *)(uintptr_t)(text ? strings_intern(text, strlen(text)) : 0);
}

/* UTF-8, cut where the room ends. */
static const char *narrow_text(const wchar_t *text, char room[TEXT_MAX])
{
	size_t length = 0;

	for (; text && *text && length + 5 < TEXT_MAX; text++) {
		uint32_t letter = (uint32_t)*text & 0x1fffff;
		unsigned more = letter < 0x80      ? 0
				: letter < 0x800   ? 1
				: letter < 0x10000 ? 2
						   : 3;

		room[length++] =
			(char)(more ? 0xf0 << (3 - more) | letter >> 6 * more : letter);
		while (more--)
			room[length++] = (char)(0x80 | (letter >> 6 * more & 0x3f));
	}
	room[length] = '\0';
	return text ? room : NULL;
}

static const char *text_of(const struct nvtx_event *event, char room[TEXT_MAX])
{
	if (!event || event->size < sizeof(*event) || !event->message)
		return NULL;
	switch (event->message_type) {
	case MESSAGE_TEXT:
		return event->message;
	case MESSAGE_WIDE:
		return narrow_text(event->message, room);
	case MESSAGE_REGISTERED:
		return strings_at((uintptr_t)event->message)->bytes;
	default:
		return NULL;
	}
}

static int domain_push(const void *domain, const struct nvtx_event *event)
{
	char room[TEXT_MAX];

	ranges_push((uintptr_t)domain, text_of(event, room));
	return NO_LEVELS;
}

static int domain_pop(const void *domain)
{
	ranges_pop((uintptr_t)domain);
	return NO_LEVELS;
}

static uint64_t domain_start(const void *domain, const struct nvtx_event *event)
{
	char room[TEXT_MAX];

	(void)domain;
	return ranges_start(text_of(event, room));
}

static void domain_end(const void *domain, uint64_t number)
{
	(void)domain;
	ranges_finish(number);
}

static const void *domain_string(const void *domain, const char *text)
{
	(void)domain;
	return keep_text(text);
}

static const void *domain_string_wide(const void *domain, const wchar_t *text)
{
	char room[TEXT_MAX];

	(void)domain;
	return keep_text(narrow_text(text, room));
}

static const void *domain_create(const char *name)
{
	return keep_text(name);
}

static const void *domain_create_wide(const wchar_t *name)
{
	char room[TEXT_MAX];

	return keep_text(narrow_text(name, room));
}

static int push_event(const struct nvtx_event *event)
{
	return domain_push(NULL, event);
}

static int push_text(const char *text)
{
	ranges_push(0, text);
	return NO_LEVELS;
}

static int push_wide(const wchar_t *text)
{
	char room[TEXT_MAX];

	ranges_push(0, narrow_text(text, room));
	return NO_LEVELS;
}

static int pop_range(void)
{
	return domain_pop(NULL);
}

static uint64_t start_event(const struct nvtx_event *event)
{
	return domain_start(NULL, event);
}

static uint64_t start_wide(const wchar_t *text)
{
	char room[TEXT_MAX];

	return ranges_start(narrow_text(text, room));
}

/* Numbers of NvtxCallbackIdCore and NvtxCallbackIdCore2. */
static const struct {
	int module;
	unsigned number;
	nvtx_function function;
} functions[] = {
	{MODULE_CORE, 4, (nvtx_function)start_event},
	{MODULE_CORE, 5, (nvtx_function)ranges_start},
	{MODULE_CORE, 6, (nvtx_function)start_wide},
	{MODULE_CORE, 7, (nvtx_function)ranges_finish},
	{MODULE_CORE, 8, (nvtx_function)push_event},
	{MODULE_CORE, 9, (nvtx_function)push_text},
	{MODULE_CORE, 10, (nvtx_function)push_wide},
	{MODULE_CORE, 11, (nvtx_function)pop_range},
	{MODULE_CORE2, 2, (nvtx_function)domain_start},
	{MODULE_CORE2, 3, (nvtx_function)domain_end},
	{MODULE_CORE2, 4, (nvtx_function)domain_push},
	{MODULE_CORE2, 5, (nvtx_function)domain_pop},
	{MODULE_CORE2, 10, (nvtx_function)domain_string},
	{MODULE_CORE2, 11, (nvtx_function)domain_string_wide},
	{MODULE_CORE2, 12, (nvtx_function)domain_create},
	{MODULE_CORE2, 13, (nvtx_function)domain_create_wide},
};

PUBLIC int InitializeInjectionNvtx2(nvtx_get_table *get_table);

/* Returns whether the tool is there. */
PUBLIC int InitializeInjectionNvtx2(nvtx_get_table *get_table)
{
	const struct nvtx_callbacks *callbacks = get_table(TABLE_CALLBACKS);

	if (!callbacks || callbacks->size < sizeof(*callbacks) || !ranges_init())
		return 0;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		nvtx_function **table;
		unsigned count;

		if (callbacks->get_functions(functions[i].module, &table, &count) &&
		    functions[i].number < count && table[functions[i].number])
			*table[functions[i].number] = functions[i].function;
	}
	return 1;
}
