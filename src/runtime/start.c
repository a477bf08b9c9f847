/* The library's life: constructor, links of annotated modules, fork, end. */
#include "runtime/spans.h"

#include <cpuid.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct runtime_state none;
struct runtime_state *runtime_state = &none;

static struct {
	struct runtime_lock lock;
	struct trm_link *links;
	char folder[4096];
	bool tracing;
	bool spans; /* functions are to be regions, too */
	bool started;
	bool begun;        /* there is a state */
	bool asked;        /* there is a spool that others read */
	bool kept;         /* there is one that stays if the process is killed */
	bool timed;        /* somebody wants times */
	uint32_t watchers; /* enum runtime_watchers */
	bool steady;       /* ticks are the processor's, where times are wanted */
} runtime;

static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t runtime_clock_ns(void)
{
	return clock_ns();
}

uint64_t runtime_other_ticks(void)
{
	return runtime_state->untimed ? 0 : clock_ns();
}

/* Whether the time-stamp counter runs at one speed, also in deep sleep (Intel SDM vol. 3,
 * 18.17.1: CPUID 80000007H, EDX bit 8). */
static bool has_steady_tsc(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

struct context_moment start_moment(void)
{
	uint64_t ns = runtime_clock_ns();

	return (struct context_moment){runtime.steady ? __rdtsc() : ns, ns};
}

double start_tick_ns(const struct context_moment *begin)
{
	struct context_moment now = start_moment();

	if (!begin->ticks || now.ticks == begin->ticks)
		return 1;
	return (double)(now.ns - begin->ns) / (double)(now.ticks - begin->ticks);
}

static void fill_spool(void)
{
	struct timespec now;

	runtime_spool->pid = (uint32_t)getpid();
	runtime_spool->parent = (uint32_t)getppid();
	runtime_spool->begin = start_moment();
	runtime_spool->ticks_per_second = runtime.steady ? 0 : 1000000000u;
	clock_gettime(CLOCK_REALTIME, &now);
	runtime_spool->realtime_ns =
		(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (readlink("/proc/self/exe", runtime_spool->program, CONTEXT_PROGRAM_MAX - 1) <
	    0)
		runtime_spool->program[0] = '\0';
}

static bool make_state(void)
{
	void *page = runtime_map(4096);

	if (!page || madvise(page, 4096, MADV_WIPEONFORK))
		return false;
	runtime_state = page;
	runtime.steady = has_steady_tsc();
	return true;
}

/* What events look at first, in one word. */
static void set_usual(void)
{
	bool usual = runtime_state->recording && runtime_state->tsc &&
		     !(runtime_state->watching & RUNTIME_CHANNELS);

	__atomic_store_n(&runtime_state->usual, usual, __ATOMIC_RELEASE);
}

/* Who watches, and which clock that takes. */
static void set_state(void)
{
	bool timed = runtime.asked || runtime.timed;

	runtime_state->tracing = runtime.tracing;
	runtime_state->watching =
		runtime.watchers | (runtime.tracing ? RUNTIME_TRACES : 0);
	runtime_state->untimed = !timed;
	runtime_state->tsc = timed && runtime.steady;
	runtime_state->idle =
		!timed && !(runtime_state->watching & ~(uint32_t)RUNTIME_KEEPS);
	set_usual();
}

static void begin_recording(void)
{
	__atomic_store_n(&runtime_state->recording, 1, __ATOMIC_RELEASE);
	set_usual();
}

static bool begin(void)
{
	return make_state() && threads_init() &&
	       fork_handle(fork_prepare, fork_parent, fork_child);
}

/* Begins to record; the state is empty. */
static bool begin_spool(const char *folder)
{
	if (!spool_open(folder))
		return false;
	fill_spool();
	set_state();
	begin_recording();
	return true;
}

bool start_has_spool(void)
{
	return runtime.asked;
}

static bool is_measuring(void)
{
	return runtime.asked || runtime.watchers & RUNTIME_CHANNELS;
}

void links_activate(bool active)
{
	for (struct trm_link *link = runtime.links; link; link = link->next)
		__atomic_store_n(&link->active, active, __ATOMIC_RELEASE);
}

/* "regions", "regions,trace,spans" */
static bool read_request(void)
{
	const char *what = getenv("TRAMMEL_CONTEXT");
	const char *folder = getenv("TRAMMEL_CONTEXT_FOLDER");

	if (!what)
		return false;
	if (!folder)
		folder = alone_begin();
	if (!folder || strlen(folder) >= sizeof(runtime.folder))
		return false;
	runtime.tracing = strstr(what, "trace") != NULL;
	runtime.spans = strstr(what, "spans") != NULL;
	strcpy(runtime.folder, folder);
	return true;
}

/* Nothing is said when something cannot be had: the program is not ours. Who asked for
 * the measurement finds no spool. A library that the program is linked with may be
 * initialised, and annotated, before this one: what comes first starts it. */
__attribute__((constructor(101))) static void start(void)
{
	int saved = errno;

	if (runtime.started)
		return;
	runtime.started = true;
	seal_init();
	runtime.asked = read_request();
	if (runtime.asked) {
		runtime.begun = begin() && begin_spool(runtime.folder);
		runtime.asked = runtime.begun;
		if (!runtime.begun)
			runtime_state = &none;
	}
	if (runtime.begun && runtime.spans)
		spans_start();
	links_activate(is_measuring());
	channels_start();
	errno = saved;
}

bool start_host(void)
{
	int saved = errno;

	start();
	runtime_lock(&runtime.lock);
	if (!runtime.begun && runtime_state == &none) {
		runtime.begun = begin() && begin_spool(NULL);
		if (!runtime.begun)
			runtime_state = &none;
	}
	runtime_unlock(&runtime.lock);
	errno = saved;
	return runtime.begun;
}

/* What channels have is to be in a file, where it stays however the process ends: as soon
 * as anything can annotate, and as long as one thread at most has. */
static void keep(void)
{
	const char *folder = runtime.folder;

	if (runtime.asked || runtime.kept || !runtime.begun || runtime_sealed ||
	    !(runtime.watchers & RUNTIME_CHANNELS) ||
	    !(runtime.links || runtime.watchers & RUNTIME_KEEPS))
		return;
	if (!*folder)
		folder = alone_folder();
	if (!folder || strlen(folder) >= sizeof(runtime.folder))
		return;
	if (folder != runtime.folder)
		strcpy(runtime.folder, folder);
	runtime.kept = spool_move(folder, runtime_self != NULL);
}

void start_watch(uint32_t watchers, bool timed)
{
	runtime_lock(&runtime.lock);
	runtime.watchers = watchers;
	runtime.timed = timed;
	if (runtime_state->recording)
		set_state();
	links_activate(is_measuring());
	keep();
	runtime_unlock(&runtime.lock);
}

__attribute__((visibility("default"))) void trm_runtime_link(struct trm_link *link)
{
	if (link->abi != TRM_ABI)
		return;
	start();
	runtime_lock(&runtime.lock);
	link->api = spans_events();
	link->next = runtime.links;
	runtime.links = link;
	link->active = is_measuring();
	keep();
	runtime_unlock(&runtime.lock);
}

/* It stays active: while a process ends, other threads of it may be in regions. */
__attribute__((visibility("default"))) void trm_runtime_unlink(struct trm_link *link)
{
	runtime_lock(&runtime.lock);
	for (struct trm_link **at = &runtime.links; *at; at = &(*at)->next) {
		if (*at != link)
			continue;
		*at = link->next;
		break;
	}
	runtime_unlock(&runtime.lock);
}

void faults_note(const struct context_fault *fault)
{
	struct context_spool *spool = runtime_spool;
	struct context_fault *known = spool->faults;

	runtime_lock(&runtime.lock);
	for (; known < spool->faults + spool->fault_count; known++)
		if (known->attribute == fault->attribute &&
		    known->value == fault->value &&
		    known->open_attribute == fault->open_attribute &&
		    known->open_value == fault->open_value)
			break;
	if (known < spool->faults + CONTEXT_FAULTS_MAX) {
		uint64_t count = known->count, repaired = known->repaired;

		*known = *fault;
		known->count = count + 1;
		known->repaired = repaired + fault->repaired;
		if (known == spool->faults + spool->fault_count)
			spool->fault_count++;
	}
	runtime_unlock(&runtime.lock);
}

void start_resume(void)
{
	runtime.lock.taken = 0;
}

/* The parent's spool is shared with it and must not be written to. Strings and attributes
 * keep their numbers, since sites know them. A child that says nothing makes no system
 * call for this. */
bool runtime_resume(void)
{
	if (!runtime.begun || runtime_state == &none)
		return false;
	set_state();
	if ((runtime_sealed && (runtime.asked || runtime.kept)) ||
	    !spool_copy(runtime.folder)) {
		__atomic_add_fetch(&runtime_spool->lost_children, 1, __ATOMIC_RELAXED);
		runtime.begun = runtime.asked = runtime.kept = false;
		runtime.watchers = 0;
		runtime_self = NULL;
		links_activate(false);
		return false;
	}
	start_resume();
	tasks_resume();
	strings_resume(true);
	attributes_resume(true);
	values_resume(runtime.asked || runtime.kept);
	fill_spool();
	threads_forget(runtime.asked || runtime.kept);
	channels_resume();
	begin_recording();
	channels_offer();
	values_rewrite();
	fork_enter_path(runtime.asked || runtime.kept ? threads_self() : NULL);
	return true;
}

__attribute__((destructor(101))) static void finish(void)
{
	channels_finish();
	if (!runtime_state->recording)
		return;
	if (!runtime.asked) {
		alone_remove(runtime.kept);
		return;
	}
	runtime_spool->end = start_moment();
	__atomic_store_n(&runtime_spool->finished, 1, __ATOMIC_RELEASE);
	alone_end(runtime.tracing);
}
