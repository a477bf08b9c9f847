/*
 * The program's own context: regions, loops, and any attribute:value pairs that a program
 * says about itself while it runs. C11 and C++11, with gcc and clang; with others all of
 * it is empty.
 *
 *     TRM_REGION("solve");                    ends with the scope
 *     for (int it = 0; it < steps; it++) {
 *             TRM_LOOP("timestep", it) {      an iteration, ends with the body
 *                     ...
 *             }
 *     }
 *     trm_begin("level", 3);
 *     trm_end("level");
 *     trm_set(cells, n);                      of a metric, made before by
 *             cells = trm_attribute_create("cells", TRM_TYPE_INT, METRIC);
 *             with METRIC as TRM_AS_VALUE | TRM_AGGREGATABLE
 *
 * A program needs no library for this. While nothing measures, each of these is a test of
 * a word in memory. `trammel run -m regions PROGRAM` loads the library that records; a
 * program may also link it (-ltrammel) and start a channel by itself.
 *
 * All functions may be called from any thread at any time, also before main. What a
 * signal handler says while its thread is inside the library is lost and counted.
 */
#ifndef TRAMMEL_ANNOTATE_H
#define TRAMMEL_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRM_ABI 1

/* An attribute of the process; 0 is none, and says nothing. */
typedef uint32_t trm_attribute;

enum trm_type {
	TRM_TYPE_INT,
	TRM_TYPE_UINT,
	TRM_TYPE_DOUBLE,
	TRM_TYPE_STRING,
	TRM_TYPE_BOOL,
	TRM_TYPE_ADDRESS,
	TRM_TYPE_TYPE,
	TRM_TYPE_BLOB,
};

enum trm_property {
	TRM_NESTED = 1,   /* begin and end of it nest with others; part of the path */
	TRM_AS_VALUE = 2, /* a value of the moment, not a part of the context tree */
	TRM_SCOPE_PROCESS = 4, /* one value for the process, not for each thread */
	TRM_SCOPE_THREAD = 8,
	TRM_SCOPE_TASK = 16, /* a value of the moment goes with the task */
	/* Sums of it make sense: with TRM_AS_VALUE, a metric. Of numbers and truths, of
	 * which they say how many were true. */
	TRM_AGGREGATABLE = 32,
	TRM_HIDDEN = 64,  /* in no profile; its time is that of what it is in */
	TRM_GLOBAL = 128, /* metadata of the run: one value for the process, in no path */
	TRM_SKIP_EVENTS = 256, /* channels take no snapshot for it */
	/* Bits 16 to 18: the level, from 0, the finest, to 7. Channels may leave out the
	 * events of finer ones. */
	TRM_LEVEL_1 = 1 << 16,
};
#define TRM_LEVEL_SHIFT_ 16

/* A value on its way to the library. Strings need not outlive the call. */
struct trm_value {
	uint32_t type; /* enum trm_type */
	uint32_t size; /* STRING, BLOB: bytes; else 0 */
	union {
		int64_t i;
		uint64_t u;
		double d;
		const void *bytes;
	} as;
};

/* A place in the source that begins a region; the library fills in the numbers. */
struct trm_site {
	const char *attribute_name, *value;
	uint32_t attribute, ready;
	uint64_t number;
	uint64_t iterations; /* of a loop: the attribute of their numbers */
};

/* With TRM_NESTED, of trm_api.attribute: for an end, which is lost with its begin. */
#define TRM_FOR_END_ (1u << 31)

/* Something that a program runs for a while, on whatever thread: see trm_task_create().
 */
struct trm_task;

/* What the library offers. Grows at its end only. */
struct trm_api {
	uint32_t abi, size;
	trm_attribute (*attribute)(const char *name, uint32_t type, uint32_t properties);
	void (*begin)(trm_attribute attribute, const struct trm_value *value);
	void (*end)(trm_attribute attribute);
	void (*set)(trm_attribute attribute, const struct trm_value *value);
	void (*enter)(struct trm_site *site);
	void (*leave)(struct trm_site *site);
	void (*iterate)(struct trm_site *site, int64_t iteration);
	struct trm_task *(*task_create)(void);
	struct trm_task *(*task_switch)(struct trm_task *task);
	void (*task_destroy)(struct trm_task *task);
};

/* One in each executable and library that is annotated. */
struct trm_link {
	uint32_t active; /* something measures */
	uint32_t abi;
	const struct trm_api *api; /* NULL: no library */
	struct trm_link *next;
};

#ifdef __GNUC__

__attribute__((weak, visibility("hidden"))) struct trm_link trm_link_ = {0, TRM_ABI, 0,
									 0};

#ifndef TRM_IN_LIBRARY_

/* Of the library, where there is one; else NULL. By way of the global offset table: a
 * program that is not position-independent would have the NULL from its linker, for good.
 */
typedef void (*trm_link_function_)(struct trm_link *link);
#ifdef __x86_64__
#define TRM_OF_LIBRARY_(name, ret_function)                                              \
	__asm__(".weak " #name "\n\tmovq " #name "@GOTPCREL(%%rip), %0"                  \
		: "=r"(ret_function))
#else
extern void trm_runtime_link(struct trm_link *link) __attribute__((weak));
extern void trm_runtime_unlink(struct trm_link *link) __attribute__((weak));
#define TRM_OF_LIBRARY_(name, ret_function) (void)(ret_function = name)
#endif

__attribute__((constructor, unused)) static void trm_link_in_(void)
{
	trm_link_function_ function;

	TRM_OF_LIBRARY_(trm_runtime_link, function);
	if (function && !trm_link_.api)
		function(&trm_link_);
}

__attribute__((destructor, unused)) static void trm_link_out_(void)
{
	trm_link_function_ function;

	TRM_OF_LIBRARY_(trm_runtime_unlink, function);
	if (function && trm_link_.api)
		function(&trm_link_);
}

#endif

#define TRM_ACTIVE_ __builtin_expect(trm_link_.active, 0)

/* The attribute of this name, made if it is new: same name, same attribute. 0 while no
 * library is there. `properties`: of enum trm_property. Names have 1 to 4000 bytes, and
 * there are 65,536 at most. A value that the type cannot hold (a negative one that of
 * TRM_TYPE_UINT, a text a number) is lost, and counted. */
static inline trm_attribute trm_attribute_create(const char *name, enum trm_type type,
						 unsigned properties)
{
	return trm_link_.api ? trm_link_.api->attribute(name, (uint32_t)type, properties)
			     : 0;
}

static inline struct trm_value trm_value_int(int64_t number)
{
	struct trm_value value = {TRM_TYPE_INT, 0, {0}};

	value.as.i = number;
	return value;
}

static inline struct trm_value trm_value_uint(uint64_t number)
{
	struct trm_value value = {TRM_TYPE_UINT, 0, {0}};

	value.as.u = number;
	return value;
}

static inline struct trm_value trm_value_bool(bool truth)
{
	struct trm_value value = {TRM_TYPE_BOOL, 0, {0}};

	value.as.u = truth;
	return value;
}

static inline struct trm_value trm_value_double(double number)
{
	struct trm_value value = {TRM_TYPE_DOUBLE, 0, {0}};

	value.as.d = number;
	return value;
}

static inline struct trm_value trm_value_string(const char *text)
{
	struct trm_value value = {TRM_TYPE_STRING, (uint32_t)__builtin_strlen(text), {0}};

	value.as.bytes = text;
	return value;
}

/* What the macros and functions below do not make of C's types: addresses, types, and
 * bytes of any kind (TRM_TYPE_BLOB), for trm_begin_value and trm_set_value. */
static inline struct trm_value trm_value_address(const void *address)
{
	struct trm_value value = {TRM_TYPE_ADDRESS, 0, {0}};

	value.as.u = (uintptr_t)address;
	return value;
}

static inline struct trm_value trm_value_type(enum trm_type type)
{
	struct trm_value value = {TRM_TYPE_TYPE, 0, {0}};

	value.as.u = (uint64_t)type;
	return value;
}

static inline struct trm_value trm_value_blob(const void *bytes, uint32_t size)
{
	struct trm_value value = {TRM_TYPE_BLOB, size, {0}};

	value.as.bytes = bytes;
	return value;
}

static inline void trm_begin_value(trm_attribute attribute, struct trm_value value)
{
	if (TRM_ACTIVE_)
		trm_link_.api->begin(attribute, &value);
}

static inline void trm_set_value(trm_attribute attribute, struct trm_value value)
{
	if (TRM_ACTIVE_)
		trm_link_.api->set(attribute, &value);
}

static inline void trm_end_attribute(trm_attribute attribute)
{
	if (TRM_ACTIVE_)
		trm_link_.api->end(attribute);
}

/* The same by name: an attribute that is new is a nested one of the value's type for
 * begin, a plain value (TRM_AS_VALUE) for set. */
static inline void trm_begin_named(const char *name, struct trm_value value)
{
	if (TRM_ACTIVE_)
		trm_link_.api->begin(
			trm_link_.api->attribute(name, value.type, TRM_NESTED), &value);
}

static inline void trm_set_named(const char *name, struct trm_value value)
{
	if (TRM_ACTIVE_)
		trm_link_.api->set(
			trm_link_.api->attribute(name, value.type, TRM_AS_VALUE), &value);
}

static inline void trm_end_named(const char *name)
{
	if (TRM_ACTIVE_)
		trm_link_.api->end(trm_link_.api->attribute(name, TRM_TYPE_STRING,
							    TRM_NESTED | TRM_FOR_END_));
}

/* Whether the library is new enough to have a function. */
#define TRM_OFFERS_(function)                                                            \
	(TRM_ACTIVE_ && trm_link_.api->size > offsetof(struct trm_api, function))

/* A program that runs tasks, several on a thread or one after the other on several, has
 * one of these for each, and says when a thread goes on with another one. All that is
 * open goes with the task, as do values of TRM_SCOPE_TASK; the time that it waits is in
 * none of its regions. A new one is where its maker is. NULL: nothing measures; it may be
 * passed on. */
static inline struct trm_task *trm_task_create(void)
{
	return TRM_OFFERS_(task_create) ? trm_link_.api->task_create() : 0;
}

/* This thread goes on with the task; NULL: with what it had open itself. Returns what it
 * ran until now. A task runs on one thread at a time. */
static inline struct trm_task *trm_task_switch(struct trm_task *task)
{
	return TRM_OFFERS_(task_switch) ? trm_link_.api->task_switch(task) : 0;
}

/* The task is over: it runs on no other thread. */
static inline void trm_task_destroy(struct trm_task *task)
{
	if (task && TRM_OFFERS_(task_destroy))
		trm_link_.api->task_destroy(task);
}

/* Regions by macro: the end is that of the scope. NULL: nothing measured at the begin. */
static inline struct trm_site *trm_enter_(struct trm_site *site)
{
	if (!TRM_ACTIVE_)
		return 0;
	trm_link_.api->enter(site);
	return site;
}

static inline struct trm_site *trm_iterate_(struct trm_site *site, int64_t iteration)
{
	if (!TRM_ACTIVE_)
		return 0;
	trm_link_.api->iterate(site, iteration);
	return site;
}

static inline void trm_leave_(struct trm_site **site)
{
	if (__builtin_expect(*site != 0, 0))
		trm_link_.api->leave(*site);
}

#define TRM_JOIN2_(a, b) a##b
#define TRM_JOIN_(a, b)  TRM_JOIN2_(a, b)
#define TRM_SITE_(what, text)                                                            \
	static struct trm_site TRM_JOIN_(trm_site_, __LINE__) = {what, text, 0, 0, 0, 0}
#define TRM_SCOPE_(begun)                                                                \
	__attribute__((cleanup(trm_leave_), unused)) struct trm_site *TRM_JOIN_(         \
		trm_scope_, __LINE__) = begun

/* From here to the end of the scope; `name`: a string literal. One of these macros in a
 * line of the source. */
#define TRM_REGION(name)                                                                 \
	TRM_SITE_("region", name);                                                       \
	TRM_SCOPE_(trm_enter_(&TRM_JOIN_(trm_site_, __LINE__)))
#define TRM_FUNCTION()                                                                   \
	static struct trm_site TRM_JOIN_(trm_site_,                                      \
					 __LINE__) = {"region", 0, 0, 0, 0, 0};          \
	if (!TRM_JOIN_(trm_site_, __LINE__).value)                                       \
		TRM_JOIN_(trm_site_, __LINE__).value = __func__;                         \
	TRM_SCOPE_(trm_enter_(&TRM_JOIN_(trm_site_, __LINE__)))
/* An iteration of a loop: a statement at the head of its body (which has braces), that
 * ends with the body. `name`: a string literal; `iteration`: an integer. */
#define TRM_LOOP(name, iteration)                                                        \
	TRM_SITE_("loop", name);                                                         \
	TRM_SCOPE_(trm_iterate_(&TRM_JOIN_(trm_site_, __LINE__), (int64_t)(iteration)));

#else /* not gcc or clang */

#define TRM_REGION(name)          struct trm_site
#define TRM_FUNCTION()            struct trm_site
#define TRM_LOOP(name, iteration) struct trm_site;

#endif

#ifdef __cplusplus
}
#endif

#if defined(__GNUC__) && !defined(__cplusplus)

#define TRM_VALUE_(value)                                                                \
	_Generic((value),                                                                \
		bool: trm_value_bool,                                                    \
		float: trm_value_double,                                                 \
		double: trm_value_double,                                                \
		char *: trm_value_string,                                                \
		const char *: trm_value_string,                                          \
		unsigned char: trm_value_uint,                                           \
		unsigned short: trm_value_uint,                                          \
		unsigned: trm_value_uint,                                                \
		unsigned long: trm_value_uint,                                           \
		unsigned long long: trm_value_uint,                                      \
		default: trm_value_int)(value)

#define TRM_BY_(what, named, by_attribute)                                               \
	_Generic((what), char * : named, const char * : named, default : by_attribute)

/* `what`: an attribute or its name; `value`: a number, a bool or a string. Before C23
 * `true` is an int: (bool)true. */
#define trm_begin(what, value)                                                           \
	TRM_BY_(what, trm_begin_named, trm_begin_value)(what, TRM_VALUE_(value))
#define trm_set(what, value)                                                             \
	TRM_BY_(what, trm_set_named, trm_set_value)(what, TRM_VALUE_(value))
#define trm_end(what) TRM_BY_(what, trm_end_named, trm_end_attribute)(what)

#elif defined(__GNUC__)

static inline struct trm_value trm_value_of(bool value)
{
	return trm_value_bool(value);
}
static inline struct trm_value trm_value_of(int value)
{
	return trm_value_int(value);
}
static inline struct trm_value trm_value_of(long value)
{
	return trm_value_int(value);
}
static inline struct trm_value trm_value_of(long long value)
{
	return trm_value_int(value);
}
static inline struct trm_value trm_value_of(unsigned value)
{
	return trm_value_uint(value);
}
static inline struct trm_value trm_value_of(unsigned long value)
{
	return trm_value_uint(value);
}
static inline struct trm_value trm_value_of(unsigned long long value)
{
	return trm_value_uint(value);
}
static inline struct trm_value trm_value_of(double value)
{
	return trm_value_double(value);
}
static inline struct trm_value trm_value_of(const char *value)
{
	return trm_value_string(value);
}

template <typename Value> static inline void trm_begin(trm_attribute what, Value value)
{
	trm_begin_value(what, trm_value_of(value));
}
template <typename Value> static inline void trm_begin(const char *what, Value value)
{
	trm_begin_named(what, trm_value_of(value));
}
template <typename Value> static inline void trm_set(trm_attribute what, Value value)
{
	trm_set_value(what, trm_value_of(value));
}
template <typename Value> static inline void trm_set(const char *what, Value value)
{
	trm_set_named(what, trm_value_of(value));
}
static inline void trm_end(trm_attribute what)
{
	trm_end_attribute(what);
}
static inline void trm_end(const char *what)
{
	trm_end_named(what);
}

#else

#define trm_begin(what, value) ((void)0)
#define trm_set(what, value)   ((void)0)
#define trm_end(what)          ((void)0)

#endif

#endif
