/*
 * Measuring programs from a program: what `trammel run` and `trammel attach` do, as a
 * library. Link with -ltrammel-control (pkg-config trammel-control).
 *
 *     struct trm_engine *engine;
 *     struct trm_process *process;
 *     const char *const words[] = {"gzip", "-6k", "FILE", NULL};
 *
 *     if (trm_engine_open(NULL, &engine) ||
 *         trm_process_create(engine, words, &process) ||
 *         trm_process_set(process, "measure", "calls") ||
 *         trm_process_run(process) || trm_process_wait(process, -1, NULL))
 *             ...
 *     trm_process_save(process, "gzip.trm");
 *     trm_engine_release(engine);
 *
 * The work is done by an engine, a process of its own (`trammel agent`), on this host or
 * another one; so a measurement shares no thread, no signal and no crash with the
 * program that asks for it. When the engine dies, what it measured runs on.
 *
 * Errors: a function that can fail returns a `struct trm_error *`, NULL for success,
 * which the caller frees by trm_error_release. Results come through `ret_*` parameters,
 * and are written only on success. Texts are UTF-8, times are nanoseconds.
 *
 * Objects belong to an engine, and are released with it, or before. One that was
 * released, or is of another kind, is an error (TRM_CONTROL_USAGE), never a crash: what
 * looks like a pointer is a ticket, which no later object gets again.
 *
 * Threads: all functions may be called from any thread. Those of one engine wait for each
 * other, but for trm_engine_interrupt. Callbacks run in the thread that waits.
 */
#ifndef TRAMMEL_CONTROL_H
#define TRAMMEL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up when something is added; what there was stays. */
#define TRM_CONTROL_VERSION 1

struct trm_engine;
struct trm_process;
struct trm_event;
struct trm_error;

/* The version of the library that is there, which may be later than that of this header.
 */
int trm_control_version(void);

/* Errors. */
enum trm_control_code {
	TRM_CONTROL_USAGE,       /* the request is wrong */
	TRM_CONTROL_SYSTEM,      /* a system call failed: trm_error_errno */
	TRM_CONTROL_FORMAT,      /* a file, or a message, is damaged */
	TRM_CONTROL_UNSUPPORTED, /* right, but not possible: here, or with this version */
	TRM_CONTROL_GONE,        /* the process, or the engine, has ended */
	TRM_CONTROL_LIMIT,       /* more than is allowed */
};
/* `error` is not NULL, but for trm_error_release. */
enum trm_control_code trm_error_code(const struct trm_error *error);
/* errno of the system call; 0: there was none. */
int trm_error_errno(const struct trm_error *error);
/* One line: what, why, and what helps. Valid as long as the error. */
const char *trm_error_message(const struct trm_error *error);
void trm_error_release(struct trm_error *error);

/* What becomes of what is measured if this process ends, or its engine is out of reach
 * for too long. */
enum trm_control_loss {
	TRM_CONTROL_GO_ON,  /* it is measured to its end, and the profile written */
	TRM_CONTROL_DETACH, /* the measurement ends, the program runs on */
	TRM_CONTROL_KILL,
};

/* How an engine is reached. All zero but for `size`: on this host. */
struct trm_engine_options {
	size_t size;         /* sizeof(struct trm_engine_options) */
	const char *host;    /* as ssh knows it, "user@host" too: 'ssh HOST trammel agent
				--stdio' is run; NULL: this host */
	const char *command; /* a command for the shell instead, whose standard input and
				output lead to the engine: for containers; NULL: none */
	const char *name; /* what profiles call the host; NULL: `host`, or its own name */
	enum trm_control_loss on_loss;
	/* Seconds for which an engine waits for this process to reach it again; 0: it
	 * does not wait. A far engine (host, command) that is out of reach is reached
	 * for again as long. */
	unsigned int linger_seconds;
	const char *program; /* of trammel itself, on this host; NULL: the one that this
				library was installed with, or in PATH */
};

/* Starts an engine. `options` NULL: on this host. Errors: it cannot be started, or is of
 * another version. */
struct trm_error *trm_engine_open(const struct trm_engine_options *options,
				  struct trm_engine **ret_engine);

/* Releases an engine with all its objects and their profiles (but for those that were
 * written where trm_process_output says). What still runs is measured to its end, or as
 * options.on_loss says. NULL is allowed. */
void trm_engine_release(struct trm_engine *engine);

/* What the engine's host is called. Writes at most `size` bytes. */
struct trm_error *trm_engine_host(struct trm_engine *engine, char *ret_name, size_t size);

/* The version of trammel that the engine is. */
struct trm_error *trm_engine_version(struct trm_engine *engine, char *ret_version,
				     size_t size);

/* Brings a module of the engine's host here: the file at `path` there, whose build id is
 * `build_id` (hex digits), or with `debug` not 0 the separate file of its debug
 * information. It is written to `to`, whole or not at all. TRM_CONTROL_GONE: there is
 * none of this build there; TRM_CONTROL_LIMIT: it has more than 1 GiB. */
struct trm_error *trm_engine_module(struct trm_engine *engine, const char *path,
				    const char *build_id, int debug, const char *to);

/* A descriptor for poll and epoll: it can be read when trm_engine_wait would find an
 * event, or has messages to look at. It belongs to the engine; only wait for it. */
struct trm_error *trm_engine_descriptor(struct trm_engine *engine, int *ret_fd);

/* Waits for the next event, at most `timeout_ms` milliseconds; -1: for ever, 0: not at
 * all. Events for which a callback was set go to it, and are not returned. `ret_event`
 * NULL is written if there was none; the caller releases the event. The error
 * TRM_CONTROL_GONE: the engine has ended. */
struct trm_error *trm_engine_wait(struct trm_engine *engine, int timeout_ms,
				  struct trm_event **ret_event);

/* Lets a trm_engine_wait or trm_process_wait of another thread return, without an event.
 */
void trm_engine_interrupt(struct trm_engine *engine);

/* Has the engine make an event (TRM_EVENT_TIMER) every `period_ns`, of 1 ms at least; 0:
 * no more. */
struct trm_error *trm_engine_timer(struct trm_engine *engine, uint64_t period_ns);

/* Puts an event of one's own (TRM_EVENT_USER) behind those that there are. `text` is
 * copied; NULL is "". */
struct trm_error *trm_engine_post(struct trm_engine *engine, int64_t value,
				  const char *text);

/* What happens. */
enum trm_event_kind {
	TRM_EVENT_NONE,
	TRM_EVENT_STARTED,  /* the first process executes its program, or is
			       measured from now on: pid */
	TRM_EVENT_ENDED,    /* a process ended: pid; value: status as waitpid has it */
	TRM_EVENT_MEASURED, /* the measurement is over, and the profile there: value:
			       status of the first process */
	TRM_EVENT_FORK,     /* pid: parent; value: child */
	TRM_EVENT_EXEC,     /* pid; text: path */
	TRM_EVENT_THREAD,   /* a thread begins: pid, tid */
	TRM_EVENT_THREAD_ENDED, /* pid, tid */
	TRM_EVENT_LOADED,       /* a library is loaded: pid; text: path; address */
	TRM_EVENT_UNLOADED,
	TRM_EVENT_FUNCTION,   /* first call of a function: tid; text, address */
	TRM_EVENT_BREAKPOINT, /* a thread stands there: tid, address, text; value:
				 number */
	TRM_EVENT_SIGNAL,     /* a signal came: tid; value: number */
	TRM_EVENT_TIMER,
	TRM_EVENT_COUNTER,    /* a count was reached: trm_process_reach: value: it */
	TRM_EVENT_ANNOTATION, /* a region of the program's began (value 1) or ended
				 (0): text; trm_process_watch_regions */
	TRM_EVENT_USER,       /* trm_engine_post: value, text */
	TRM_EVENT_OUTPUT,     /* the program wrote: value: 1 or 2; data; none: the end */
	TRM_EVENT_STOPPED,    /* all threads stand: pid */
	TRM_EVENT_LOST,       /* value: how many events are missing, since nobody took
				 them */
	TRM_EVENT_COUNT
};

/* Where and when something happened. Numbers that are not known, or mean nothing for a
 * kind, are 0. */
struct trm_context {
	size_t size;      /* sizeof(struct trm_context); set by the caller */
	uint64_t number;  /* of the event, 1, 2, 3, ... of an engine; 0: it is this side's
			   */
	uint64_t time_ns; /* since 1970 */
	uint64_t address; /* in the program */
	int64_t value;
	int pid, tid; /* as the engine's host has them */
};

/* `event` was got from trm_engine_wait, or is a callback's. Texts and data are valid as
 * long as the event. */
enum trm_event_kind trm_event_kind(const struct trm_event *event);
void trm_event_context(const struct trm_event *event, struct trm_context *ret_context);
/* The process that it is about; NULL: none. */
struct trm_process *trm_event_process(const struct trm_event *event);
/* "" if it has none. */
const char *trm_event_text(const struct trm_event *event);
const void *trm_event_data(const struct trm_event *event, size_t *ret_size);
/* What went wrong, of TRM_EVENT_MEASURED: a line; NULL: nothing. */
const char *trm_event_failure(const struct trm_event *event);
/* "started", ...; "none" for what is no kind. */
const char *trm_event_kind_name(enum trm_event_kind kind);
void trm_event_release(struct trm_event *event);

/* Has events of a kind go to a function, in the thread that waits; NULL: no more. The
 * event is the library's, and valid during the call. Within it all functions may be
 * called but for waits and trm_engine_release of the engine, which are errors. */
struct trm_error *trm_engine_on(struct trm_engine *engine, enum trm_event_kind kind,
				void (*callback)(void *context,
						 const struct trm_event *event),
				void *context);

#ifdef __cplusplus
}
#endif

#include <trammel/control_inspect.h>
#include <trammel/control_process.h>
#include <trammel/control_profile.h>

#endif
