#include "runtime/events/recording.h"
#include "runtime/events/fork.h"
#include "runtime/events/hooks.h"
#include "runtime/events/tasks.h"
#include "runtime/events/threads.h"
#include "runtime/events/told.h"
#include "runtime/store/attributes.h"
#include "runtime/store/faults.h"
#include "runtime/store/folder.h"
#include "runtime/store/links.h"
#include "runtime/store/lock.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"
#include "runtime/store/values.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	struct runtime_lock lock;
	char folder[4096];
	bool traces;
	bool begun;        /* there is a state */
	bool asked;        /* there is a spool that others read */
	bool kept;         /* there is one that stays if the process is killed */
	bool timed;        /* somebody wants times */
	uint32_t watchers; /* enum runtime_watchers */
	uint32_t told;     /* RUNTIME_TOLD, or 0 */
} recording;

static void fill_spool(void)
{
	struct timespec now;

	runtime_spool->pid = (uint32_t)getpid();
	runtime_spool->parent = (uint32_t)getppid();
	runtime_spool->begin = state_moment();
	runtime_spool->ticks_per_second = state_has_steady_ticks() ? 0 : 1000000000u;
	clock_gettime(CLOCK_REALTIME, &now);
	runtime_spool->realtime_ns =
		(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (readlink("/proc/self/exe", runtime_spool->program, CONTEXT_PROGRAM_MAX - 1) <
	    0)
		runtime_spool->program[0] = '\0';
}

/* Who watches, and which clock that takes. */
static void set_watchers(void)
{
	state_set_watchers(recording.watchers | recording.told |
				   (recording.traces ? RUNTIME_TRACES : 0),
			   recording.asked || recording.timed);
}

/* Begins to record; the state is empty. */
static bool begin_spool(const char *folder)
{
	if (!spool_open(folder))
		return false;
	fill_spool();
	set_watchers();
	state_begin_recording();
	return true;
}

/* In a child of fork: another thread of the parent may have held the locks. */
static void resume_locks(void)
{
	recording.lock.taken = 0;
	faults_resume();
	tasks_resume();
}

/* What a child of fork does, whether it records or not. */
static void forget_threads_of_parent(void)
{
	spool_resume();
	resume_locks();
	strings_resume(false);
	attributes_resume(false);
}

static bool begin_recording(const char *folder)
{
	recording.begun =
		state_make() && threads_init() &&
		fork_handle(fork_prepare, fork_parent, forget_threads_of_parent) &&
		begin_spool(folder);
	if (!recording.begun)
		state_drop();
	return recording.begun;
}

void recording_tell(void)
{
	recording.told = RUNTIME_TOLD;
	told_begin();
}

bool recording_begin(const char *folder, bool traces)
{
	snprintf(recording.folder, sizeof(recording.folder), "%s", folder);
	recording.traces = traces;
	recording.asked = true;
	recording.asked = begin_recording(recording.folder);
	return recording.asked;
}

bool recording_ensure(void)
{
	int saved = errno;

	runtime_lock(&recording.lock);
	if (!recording.begun && !state_exists())
		begin_recording(NULL);
	runtime_unlock(&recording.lock);
	errno = saved;
	return recording.begun;
}

bool recording_has_spool(void)
{
	return recording.asked;
}

bool recording_traces(void)
{
	return recording.traces;
}

bool recording_is_kept(void)
{
	return recording.kept;
}

bool recording_measures(void)
{
	return recording.asked || recording.watchers & RUNTIME_CHANNELS;
}

/* What channels have is to be in a file, where it stays however the process ends: as soon
 * as anything can annotate, and as long as one thread at most has. */
static void keep_recording(void)
{
	const char *folder = recording.folder;

	if (recording.asked || recording.kept || !recording.begun || runtime_sealed ||
	    !(recording.watchers & RUNTIME_CHANNELS) ||
	    !(links_exist() || recording.watchers & RUNTIME_KEEPS))
		return;
	if (!*folder)
		folder = folder_make();
	if (!folder || strlen(folder) >= sizeof(recording.folder))
		return;
	if (folder != recording.folder)
		strcpy(recording.folder, folder);
	strings_hold(true);
	attributes_hold(true);
	recording.kept = spool_move(folder, runtime_self != NULL);
	attributes_hold(false);
	strings_hold(false);
}

void recording_watch(uint32_t watchers, bool timed)
{
	runtime_lock(&recording.lock);
	recording.watchers = watchers;
	recording.timed = timed;
	if (runtime_state->recording)
		set_watchers();
	links_activate(recording_measures());
	keep_recording();
	runtime_unlock(&recording.lock);
}

void recording_link(struct trm_link *link, const struct trm_api *api)
{
	runtime_lock(&recording.lock);
	link->api = api;
	links_add(link, recording_measures());
	keep_recording();
	runtime_unlock(&recording.lock);
}

void recording_unlink(struct trm_link *link)
{
	runtime_lock(&recording.lock);
	links_remove(link);
	runtime_unlock(&recording.lock);
}

void recording_end(void)
{
	runtime_spool->end = state_moment();
	__atomic_store_n(&runtime_spool->finished, 1, __ATOMIC_RELEASE);
}

/* The parent's spool is shared with it and must not be written to. Strings and attributes
 * keep their numbers, since sites know them. A child that says nothing makes no system
 * call for this. */
bool recording_begin_child(void)
{
	if (!recording.begun || !state_exists())
		return false;
	set_watchers();
	if ((runtime_sealed && (recording.asked || recording.kept)) ||
	    !spool_copy(recording.folder)) {
		__atomic_add_fetch(&runtime_spool->lost_children, 1, __ATOMIC_RELAXED);
		recording.begun = recording.asked = recording.kept = false;
		recording.watchers = 0;
		runtime_self = NULL;
		links_activate(false);
		return false;
	}
	resume_locks();
	strings_resume(true);
	attributes_resume(true);
	values_resume(recording.asked || recording.kept);
	fill_spool();
	threads_forget(recording.asked || recording.kept);
	runtime_hooks.begin_child();
	state_begin_recording();
	runtime_hooks.offer_child();
	values_rewrite();
	fork_enter_path(recording.asked || recording.kept ? threads_self() : NULL);
	return true;
}
