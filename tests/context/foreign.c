/*
 * Programs that are annotated for other tools: the first word says what to do, see
 * `foreign.py`. What such a program has linked in of ITT and NVTX is here as their
 * headers describe it, no more than is called.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* ITT (ittnotify_config.h): functions are called through pointers, which a tool sets. */
struct domain {
	volatile int flags;
	const char *name;
	void *wide;
	int extra;
	void *more;
	struct domain *next;
};

struct handle {
	const char *text;
	void *wide;
	int extra;
	void *more;
	struct handle *next;
};

struct id {
	unsigned long long words[3];
};

static void (*task_begin)(const struct domain *, struct id, struct id, struct handle *);
static void (*task_end)(const struct domain *);
static void (*frame_begin)(const struct domain *, struct id *);
static void (*frame_end)(const struct domain *, struct id *);
static int (*event_create)(const char *, int);
static int (*event_start)(int);
static int (*event_end)(int);
static void (*unknown)(void);
static int created(void)
{
	return 7;
}
static int (*without)(void);

static struct {
	const char *name;
	void **function;
	void *first, *without;
	int group;
} functions[] = {
	{"__itt_task_begin", (void **)&task_begin, NULL, NULL, 1},
	{"__itt_task_end", (void **)&task_end, NULL, NULL, 1},
	{"__itt_frame_begin_v3", (void **)&frame_begin, NULL, NULL, 1},
	{"__itt_frame_end_v3", (void **)&frame_end, NULL, NULL, 1},
	{"__itt_event_create", (void **)&event_create, NULL, NULL, 1},
	{"__itt_event_start", (void **)&event_start, NULL, NULL, 1},
	{"__itt_event_end", (void **)&event_end, NULL, NULL, 1},
	{"__itt_what_no_tool_has", (void **)&unknown, NULL, NULL, 1},
	{"__itt_counter_create", (void **)&without, NULL, (void *)created, 1},
	{NULL, NULL, NULL, NULL, 0},
};

static struct {
	unsigned char magic[8];
	unsigned long versions[3];
	volatile long states[3];
	pthread_mutex_t mutex;
	void *library, *error;
	const char **path;
	void *functions;
	void *rest[8];
} global = {.mutex = PTHREAD_MUTEX_INITIALIZER, .functions = functions};

static void *load(const char *variable, const char *name)
{
	const char *path = getenv(variable);
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;

	return library ? dlsym(library, name) : NULL;
}

#define CALL(function, ...)                                                              \
	do {                                                                             \
		if (function)                                                            \
			function(__VA_ARGS__);                                           \
	} while (0)

static void itt(int count)
{
	struct domain first = {.flags = 1, .name = "first"};
	struct domain second = {.flags = 1, .name = "second"};
	struct handle outer = {.text = "outer"}, inner = {.text = "inner"};
	const struct id none = {{0}};
	void (*init)(void *, int);
	int event;

	*(void **)&init = load("INTEL_LIBITTNOTIFY64", "__itt_api_init");
	CALL(init, &global, -1);
	event = event_create ? event_create("event and more", 5) : 0;
	CALL(frame_begin, &second, NULL);
	for (int i = 0; i < count; i++) {
		CALL(task_begin, &first, none, none, &outer);
		CALL(task_begin, &first, none, none, &inner);
		CALL(task_end, &first);
		/* Of another domain: it goes on when the outer one ends. */
		CALL(task_begin, &second, none, none, &inner);
		CALL(task_end, &first);
		CALL(task_end, &second);
		CALL(event_start, event);
		CALL(event_end, event);
		CALL(event_end, event);
		CALL(task_end, &first);
	}
	CALL(frame_end, &second, NULL);
	printf("%d %d\n", unknown != NULL, without ? without() == 7 : 1);
}

/* NVTX (nvtxTypes.h): the same with tables of the addresses of pointers. */
static int (*push_text)(const char *);
static int (*push_wide)(const wchar_t *);
static int (*pop)(void);
static uint64_t (*start_text)(const char *);
static void (*end)(uint64_t);
static int (*domain_push)(void *, const void *);
static int (*domain_pop)(void *);
static void *(*domain_string)(void *, const char *);
static void *(*domain_create)(const char *);

static void **core[] = {
	[5] = (void **)&start_text, [7] = (void **)&end,  [9] = (void **)&push_text,
	[10] = (void **)&push_wide, [11] = (void **)&pop, [12] = NULL};
static void **core2[] = {[4] = (void **)&domain_push,
			 [5] = (void **)&domain_pop,
			 [10] = (void **)&domain_string,
			 [12] = (void **)&domain_create,
			 [13] = NULL};

static int get_functions(int module, void ****table, unsigned *count)
{
	*table = module == 1 ? core : core2;
	*count = module == 1 ? 12 : module == 5 ? 13 : 0;
	return *count != 0;
}

static const struct {
	size_t size;
	int (*get)(int, void ****, unsigned *);
} callbacks = {sizeof(callbacks), get_functions};

static const void *get_table(uint32_t number)
{
	return number == 1 ? &callbacks : NULL;
}

static uint64_t across;

static void *other_thread(void *unused)
{
	CALL(push_text, "thread");
	CALL(end, across);
	CALL(pop);
	return unused;
}

static int pushed(const char *text)
{
	return push_text ? push_text(text) : -2;
}

static void nvtx(int count)
{
	struct {
		uint16_t version, size;
		uint32_t words[5];
		uint64_t payload;
		int32_t type;
		const void *message;
	} event = {3, sizeof(event), {0}, 0, 3, NULL};
	void *domain = NULL;
	int (*init)(const void *(*)(uint32_t));
	pthread_t thread;

	*(void **)&init = load("NVTX_INJECTION64_PATH", "InitializeInjectionNvtx2");
	CALL(init, get_table);
	if (domain_create)
		domain = domain_create("domain");
	if (domain_string)
		event.message = domain_string(domain, "registered");
	for (int i = 0; i < count; i++) {
		printf("%d\n", pushed("outer"));
		CALL(push_wide, L"wide \x20ac");
		CALL(pop);
		CALL(domain_push, domain, &event);
		CALL(pop);
		CALL(domain_pop, domain);
		CALL(pop);
		CALL(domain_pop, domain);
	}
	if (start_text)
		across = start_text("across");
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	CALL(push_text, "after");
	CALL(pop);
	CALL(end, across);
	CALL(end, 12345);
	for (int i = 0; i < 300; i++)
		CALL(push_text, "deep");
	for (int i = 0; i < 300; i++)
		CALL(pop);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		(strcmp(argv[1], "itt") ? nvtx : itt)(atoi(argv[2]));
	return 0;
}
