/*
 * Intel's ITT API: programs have a part of it linked in, which loads the library that
 * INTEL_LIBITTNOTIFY64 names and hands it a table of its functions (ittnotify_config.h of
 * github.com/intel/ittapi: __itt_global, __itt_api_info). Tasks, events and frames become
 * regions; all else is as if there were no tool.
 */
#include "runtime/foreign/ranges.h"
#include "runtime/process/start.h"
#include "runtime/store/lock.h"
#include "runtime/store/strings.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

struct itt_function {
	const char *name;
	void **function;
	void *first;   /* what is called before there is a tool */
	void *without; /* what is called without one */
	int group;
};

struct itt_global {
	unsigned char magic[8];
	unsigned long version[3];
	volatile long initialized[3];
	pthread_mutex_t mutex;
	void *library;
	void *error_handler;
	const char **path;
	struct itt_function *functions;
};

struct itt_domain {
	volatile int flags;
	const char *name;
};

struct itt_handle {
	const char *text;
};

struct itt_id {
	unsigned long long words[3];
};

enum { EVENTS_MAX = 1024 };

static struct {
	struct runtime_lock lock;
	uint32_t count;
	uint64_t names[EVENTS_MAX]; /* strings of the spool */
} events;

static uint64_t number_of(const void *domain)
{
	return (uint64_t)(uintptr_t)domain;
}

/* What is said of frames and events nests apart from tasks. */
enum { FRAMES = 1, EVENTS = 2 };

static void task_begin(const struct itt_domain *domain, struct itt_id id,
		       struct itt_id parent, const struct itt_handle *name)
{
	(void)id;
	(void)parent;
	ranges_push(number_of(domain), name ? name->text : NULL);
}

static void task_begin_ex(const struct itt_domain *domain, const void *clock,
			  unsigned long long stamp, struct itt_id id,
			  struct itt_id parent, const struct itt_handle *name)
{
	(void)clock;
	(void)stamp;
	task_begin(domain, id, parent, name);
}

static void task_begin_fn(const struct itt_domain *domain, struct itt_id id,
			  struct itt_id parent, void *function)
{
	char text[32];
	Dl_info info;

	(void)id;
	(void)parent;
	snprintf(text, sizeof(text), "%p", function);
	ranges_push(number_of(domain),
		    dladdr(function, &info) && info.dli_sname ? info.dli_sname : text);
}

static void task_end(const struct itt_domain *domain)
{
	ranges_pop(number_of(domain));
}

static void task_end_ex(const struct itt_domain *domain, const void *clock,
			unsigned long long stamp)
{
	(void)clock;
	(void)stamp;
	task_end(domain);
}

static void frame_begin(const struct itt_domain *domain, const struct itt_id *id)
{
	(void)id;
	ranges_push(number_of(domain) | FRAMES, domain->name);
}

static void frame_end(const struct itt_domain *domain, const struct itt_id *id)
{
	(void)id;
	ranges_pop(number_of(domain) | FRAMES);
}

/* Numbers are from 1 on. */
static int event_create(const char *name, int length)
{
	uint64_t text = start_host() && name && length >= 0
				? strings_intern(name, strnlen(name, (size_t)length))
				: 0;
	uint32_t number = 0;

	if (!text)
		return 0;
	runtime_lock(&events.lock);
	while (number < events.count && events.names[number] != text)
		number++;
	if (number == events.count && number < EVENTS_MAX)
		events.names[events.count++] = text;
	runtime_unlock(&events.lock);
	return number < EVENTS_MAX ? (int)number + 1 : 0;
}

static int event_start(int event)
{
	if (event > 0 && event <= EVENTS_MAX && events.names[event - 1])
		ranges_push((uint64_t)event << 2 | EVENTS,
			    strings_at(events.names[event - 1])->bytes);
	return 0;
}

static int event_end(int event)
{
	ranges_pop((uint64_t)event << 2 | EVENTS);
	return 0;
}

static const struct {
	const char *name;
	void *function;
} functions[] = {
	{"__itt_task_begin", (void *)task_begin},
	{"__itt_task_begin_ex", (void *)task_begin_ex},
	{"__itt_task_begin_fn", (void *)task_begin_fn},
	{"__itt_task_end", (void *)task_end},
	{"__itt_task_end_ex", (void *)task_end_ex},
	{"__itt_frame_begin_v3", (void *)frame_begin},
	{"__itt_frame_end_v3", (void *)frame_end},
	{"__itt_event_create", (void *)event_create},
	{"__itt_event_start", (void *)event_start},
	{"__itt_event_end", (void *)event_end},
};

static void *find_domain(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	return NULL;
}

PUBLIC void __itt_api_init(struct itt_global *global, int groups);

PUBLIC void __itt_api_init(struct itt_global *global, int groups)
{
	bool recorded = ranges_init();

	(void)groups;
	for (struct itt_function *row = global->functions; row && row->name; row++) {
		void *function = recorded ? find_domain(row->name) : NULL;

		*row->function = function ? function : row->without;
	}
}
