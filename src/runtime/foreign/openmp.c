/*
 * OpenMP: what the run-time library tells tools (OpenMP API 5.2, chapter 19, "OMPT
 * Interface"; LLVM's libomp has it) becomes regions. Parallel regions, worksharing, tasks
 * and waiting are nested in what the thread was in; what the threads of a team do hangs
 * below the parallel region, in the context of the thread that met it.
 */
#include "runtime/events/events.h"
#include "runtime/foreign/openmp_tasks.h"
#include "runtime/process/start.h"
#include "runtime/service/calls/openmp_library.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "runtime/store/tree.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Types and numbers of the interface. */
typedef void (*any_function)(void);
typedef any_function (*look_up_function)(const char *name);
typedef int (*set_callback_function)(int event, any_function callback);

struct start_tool_result {
	int (*initialize)(look_up_function look_up, int device, union openmp_data *tool);
	void (*finalize)(union openmp_data *tool);
	union openmp_data tool;
};

enum callback_number {
	THREAD_BEGIN = 1,
	THREAD_END = 2,
	PARALLEL_BEGIN = 3,
	PARALLEL_END = 4,
	TASK_CREATE = 5,
	TASK_SCHEDULE = 6,
	IMPLICIT_TASK = 7,
	WORK = 20,
	SYNC_REGION = 23,
	MUTEX_ACQUIRE = 26,
	MUTEX_ACQUIRED = 27,
};

enum endpoint { BEGIN = 1, END = 2, BEGIN_END = 3 };
enum { TASK_INITIAL = 1, TASK_EXPLICIT = 4 };
enum { TASK_YIELD = 2, TASK_SWITCH = 7 }; /* why a task is left: it goes on later */

static const char *const works[] = {
	NULL,        "loop",       "sections", "single", "single",
	"workshare", "distribute", "taskloop", "scope",
};

static const char *const syncs[] = {
	NULL,        "barrier",   "barrier", "barrier", "barrier", "taskwait",
	"taskgroup", "reduction", "barrier", "barrier", "barrier",
};

/* An attempt to take a lock may end without it, and is not told. */
static const char *const mutexes[] = {
	NULL, "lock", NULL, "nest lock", NULL, "critical", "atomic", "ordered",
};

#define NAME(names, number)                                                              \
	((unsigned)(number) < sizeof(names) / sizeof(names[0]) ? (names)[number] : NULL)

/* A parallel region that threads may be in; used again when none is. */
struct team {
	uint32_t users;
	uint64_t ended;                  /* ticks; 0: it goes on */
	const struct context_node *node; /* of the thread that met it */
};

enum { TEAMS_MAX = 64, PATH_MAX_NODES = 256 };

struct own_state {
	struct team teams[TEAMS_MAX]; /* that this thread met */
	struct team *team;            /* that it is a worker of; NULL: none */
	struct context_node *before;  /* where it was before that */
};

static runtime_local struct own_state *own_state;

static struct {
	uint32_t parallel, work, sync, task; /* attributes */
} openmp;

static struct own_state *state_of_thread(void)
{
	if (unlikely(!own_state))
		own_state = runtime_map(sizeof(*own_state));
	return own_state;
}

static void note_region(uint32_t attribute, const char *name, enum endpoint endpoint)
{
	if (!name)
		return;
	if (endpoint & BEGIN)
		events_begin_text(attribute, name);
	if (endpoint & END)
		events_end_text(attribute, name);
}

static struct team *new_team(void)
{
	struct own_state *own = state_of_thread();

	for (size_t i = 0; own && i < TEAMS_MAX; i++)
		if (!__atomic_load_n(&own->teams[i].users, __ATOMIC_ACQUIRE))
			return &own->teams[i];
	return NULL;
}

static void leave_team(struct team *team)
{
	__atomic_sub_fetch(&team->users, 1, __ATOMIC_RELEASE);
}

static void parallel_begin(union openmp_data *task, const void *frame,
			   union openmp_data *parallel, unsigned requested, int flags,
			   const void *code)
{
	struct team *team = new_team();

	(void)task;
	(void)frame;
	(void)requested;
	(void)flags;
	(void)code;
	events_begin_text(openmp.parallel, "parallel");
	parallel->pointer = NULL;
	if (!team || !runtime_self)
		return;
	team->node = runtime_self->node;
	team->ended = 0;
	__atomic_store_n(&team->users, 1, __ATOMIC_RELEASE);
	parallel->pointer = team;
}

static void parallel_end(union openmp_data *parallel, union openmp_data *task, int flags,
			 const void *code)
{
	struct team *team = parallel->pointer;

	(void)task;
	(void)flags;
	(void)code;
	if (team) {
		__atomic_store_n(&team->ended, runtime_ticks() | 1, __ATOMIC_RELEASE);
		leave_team(team);
	}
	parallel->pointer = NULL;
	events_end_text(openmp.parallel, "parallel");
}

/* The same context in this thread's tree. */
static struct context_node *copy_path(struct context_thread *thread,
				      const struct context_node *node)
{
	const struct context_node *path[PATH_MAX_NODES];
	struct context_node *to = thread->root;
	size_t count = 0;

	for (; node->parent && count < PATH_MAX_NODES; node = node->parent)
		path[count++] = node;
	while (to && count) {
		node = path[--count];
		to = tree_child(thread, to, node->attribute, node->value);
		if (to)
			to->began = thread->last;
	}
	return to;
}

static void enter_team(struct team *team)
{
	struct own_state *own = state_of_thread();
	struct context_thread *thread = own ? events_enter() : NULL;
	struct context_node *to;

	if (!thread)
		return;
	to = copy_path(thread, team->node);
	if (to) {
		__atomic_add_fetch(&team->users, 1, __ATOMIC_ACQUIRE);
		own->before = thread->node;
		own->team = team;
		openmp_tasks_forget();
		events_move(thread, to, false, runtime_ticks());
	}
	events_leave();
}

/* Back to where the worker was. What passed since the region ended is no part of it. */
static void exit_team(void)
{
	struct own_state *own = own_state;
	struct team *team = own ? own->team : NULL;
	struct context_thread *thread = team ? events_enter() : NULL;
	uint64_t ended;

	if (!thread)
		return;
	ended = __atomic_load_n(&team->ended, __ATOMIC_ACQUIRE);
	if (!ended)
		ended = runtime_ticks();
	events_move(thread, own->before, thread->node->attribute == openmp.sync,
		    ended > thread->last ? ended : thread->last);
	own->team = NULL;
	leave_team(team);
	events_leave();
}

static void implicit_task(enum endpoint endpoint, union openmp_data *parallel,
			  union openmp_data *task, unsigned size, unsigned index,
			  int flags)
{
	(void)task;
	if (flags & TASK_INITIAL)
		return;
	if (index && endpoint == END)
		exit_team();
	else if (index && parallel && parallel->pointer)
		enter_team(parallel->pointer);
	/* What was until then is of the place before. */
	openmp_own_place.size = endpoint == BEGIN ? size : 0;
	openmp_own_place.number = index;
}

/* Nothing of the thread stays unless a straggler is in a team that it met. */
static void free_state(void)
{
	struct own_state *own = own_state;

	for (size_t i = 0; own && i < TEAMS_MAX; i++)
		if (__atomic_load_n(&own->teams[i].users, __ATOMIC_ACQUIRE))
			own = NULL;
	if (!own || own->team)
		return;
	own_state = NULL;
	runtime_unmap(own, sizeof(*own));
}

/* Initial, worker, other. */
static void thread_begin(int type, union openmp_data *thread)
{
	(void)thread;
	openmp_own_place.type = type > 0 && type < 4 ? (uint32_t)type : 3;
}

static void thread_end(union openmp_data *thread)
{
	(void)thread;
	exit_team();
	free_state();
}

static void note_work(int kind, enum endpoint endpoint, union openmp_data *parallel,
		      union openmp_data *task, uint64_t count, const void *code)
{
	(void)parallel;
	(void)task;
	(void)count;
	(void)code;
	note_region(openmp.work, NAME(works, kind), endpoint);
}

/* The last barrier of a worker ends when there is something for it again. */
static void sync_region(int kind, enum endpoint endpoint, union openmp_data *parallel,
			union openmp_data *task, const void *code)
{
	const char *name = NAME(syncs, kind);
	struct team *team = own_state ? own_state->team : NULL;

	(void)parallel;
	(void)task;
	(void)code;
	if (endpoint == END && team && __atomic_load_n(&team->ended, __ATOMIC_ACQUIRE))
		exit_team();
	else
		note_region(openmp.sync, name, endpoint);
}

static void mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t wait,
			  const void *code)
{
	(void)hint;
	(void)implementation;
	(void)wait;
	(void)code;
	note_region(openmp.sync, NAME(mutexes, kind), BEGIN);
}

static void mutex_acquired(int kind, uint64_t wait, const void *code)
{
	(void)wait;
	(void)code;
	note_region(openmp.sync, NAME(mutexes, kind), END);
}

static void task_create(union openmp_data *task, const void *frame,
			union openmp_data *new_task, int flags, int dependences,
			const void *code)
{
	(void)task;
	(void)frame;
	(void)dependences;
	(void)code;
	openmp_task_create(new_task, flags & TASK_EXPLICIT);
}

static void task_schedule(union openmp_data *prior, int status, union openmp_data *next)
{
	struct context_thread *thread = events_enter();
	bool over = status != TASK_YIELD && status != TASK_SWITCH;

	if (!thread)
		return;
	openmp_task_switch(thread, openmp.task, prior, over, next);
	events_leave();
}

static int initialize_tool(look_up_function look_up, int device, union openmp_data *tool)
{
	static const struct {
		enum callback_number number;
		any_function function;
	} callbacks[] = {
		{THREAD_BEGIN, (any_function)thread_begin},
		{THREAD_END, (any_function)thread_end},
		{PARALLEL_BEGIN, (any_function)parallel_begin},
		{PARALLEL_END, (any_function)parallel_end},
		{TASK_CREATE, (any_function)task_create},
		{TASK_SCHEDULE, (any_function)task_schedule},
		{IMPLICIT_TASK, (any_function)implicit_task},
		{WORK, (any_function)note_work},
		{SYNC_REGION, (any_function)sync_region},
		{MUTEX_ACQUIRE, (any_function)mutex_acquire},
		{MUTEX_ACQUIRED, (any_function)mutex_acquired},
	};
	static const char *const types[] = {NULL, "initial", "worker", "other"};
	set_callback_function set = (set_callback_function)look_up("ompt_set_callback");

	(void)device;
	(void)tool;
	if (!set || !start_host())
		return 0;
	openmp.parallel = attributes_create("omp.parallel", TRM_TYPE_STRING, TRM_NESTED);
	openmp.work = attributes_create("omp.work", TRM_TYPE_STRING, TRM_NESTED);
	openmp.sync = attributes_create("omp.sync", TRM_TYPE_STRING, TRM_NESTED);
	openmp.task = attributes_create("omp.task", TRM_TYPE_STRING, TRM_NESTED);
	if (!openmp.parallel || !openmp.work || !openmp.sync || !openmp.task)
		return 0;
	for (uint32_t i = 1; i < 4; i++)
		openmp_name_type(i, strings_intern(types[i], strlen(types[i])));
	for (size_t i = 0; i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
		set(callbacks[i].number, callbacks[i].function);
	openmp_library.heard = true;
	return 1;
}

static void finalize_tool(union openmp_data *tool)
{
	(void)tool;
}

/* Channels may be made later than the run-time library begins, but are named here. */
static bool is_named(void)
{
	static const char *const variables[] = {"TRAMMEL_CONTEXT", "TRAMMEL_CONFIG",
						"TRAMMEL_SERVICES_ENABLE", "CALI_CONFIG",
						"CALI_SERVICES_ENABLE"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && (strstr(value, "openmp") || strstr(value, "ompt")))
			return true;
	}
	return false;
}

/* What the run-time library asks for when it begins. Another tool of the program's has
 * its place if this one is not wanted. */
struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime);

__attribute__((visibility("default"))) struct start_tool_result *
ompt_start_tool(unsigned version, const char *runtime)
{
	static struct start_tool_result result = {initialize_tool, finalize_tool, {0}};
	struct start_tool_result *(*next)(unsigned, const char *);

	openmp_library.asked = true;
	if (openmp_library.wanted || is_named())
		return &result;
	*(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
	return next ? next(version, runtime) : NULL;
}
