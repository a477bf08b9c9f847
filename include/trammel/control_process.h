/* Programs that are measured, what of them, and their counts while they run: included by
 * trammel/control.h, whose head says how errors, threads and objects are. */
#ifndef TRAMMEL_CONTROL_PROCESS_H
#define TRAMMEL_CONTROL_PROCESS_H

#include <trammel/control.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trm_engine;
struct trm_error;
struct trm_process;
struct trm_measurements;
struct trm_records;

/* The measurements that there are, as `trammel run -m` has them: records with the fields
 * "name" and "about". The caller releases them. */
struct trm_error *trm_engine_measurements(struct trm_engine *engine,
					  struct trm_records **ret_records);

/* The knobs of a configuration, all options of `trammel run`: records with the fields
 * "name", "kind" ("flag", "time", "patterns", "number", "size", "text", ...), "adds"
 * ("1": values add up), "default" and "about". */
struct trm_error *trm_engine_knobs(struct trm_engine *engine,
				   struct trm_records **ret_records);

/* A set of measurements, made together in one run. An empty one is "functions". */
struct trm_error *trm_measurements_create(struct trm_engine *engine,
					  struct trm_measurements **ret_set);
/* Adds one. The error says why it cannot be made with those that are in the set, which
 * then stays as it is. */
struct trm_error *trm_measurements_add(struct trm_measurements *set, const char *name);
/* The same question alone. */
struct trm_error *trm_measurements_check(struct trm_measurements *set, const char *name);
/* Takes one out; an error if it is not in the set. */
struct trm_error *trm_measurements_remove(struct trm_measurements *set, const char *name);
/* Writes the names with commas between them, at most `size` bytes. */
struct trm_error *trm_measurements_names(struct trm_measurements *set, char *ret_names,
					 size_t size);
void trm_measurements_release(struct trm_measurements *set);

/* Makes a program known that is to be run: its words, the program's name or path first,
 * NULL at the end; they are copied. It runs when trm_process_run says so. */
struct trm_error *trm_process_create(struct trm_engine *engine, const char *const *words,
				     struct trm_process **ret_process);

/* Makes a process known that runs already. It is measured when trm_process_run says so.
 */
struct trm_error *trm_process_attach(struct trm_engine *engine, int pid,
				     struct trm_process **ret_process);

/* Sets a knob: one of trm_engine_knobs. Flags are "true" and "false". Values of knobs
 * that add up are added to those before; NULL takes all away. What is wrong with a value
 * is said here; what is wrong with several together when the program is run. Only before
 * that. */
struct trm_error *trm_process_set(struct trm_process *process, const char *knob,
				  const char *value);
/* Writes the value of a knob, or its default, at most `size` bytes. Several have commas
 * between them. */
struct trm_error *trm_process_get(struct trm_process *process, const char *knob,
				  char *ret_value, size_t size);
/* Sets knobs as an option file has them: lines "name = value". `path` is on this host. */
struct trm_error *trm_process_configure(struct trm_process *process, const char *path);
/* Sets "measure" to what is in a set. */
struct trm_error *trm_process_measure(struct trm_process *process,
				      struct trm_measurements *set);

/* How the program is started; only before it is. Of an attached process these are
 * errors. `value` NULL: the variable is unset. */
struct trm_error *trm_process_environment(struct trm_process *process, const char *name,
					  const char *value);
/* The folder that it works in, on the engine's host. */
struct trm_error *trm_process_directory(struct trm_process *process, const char *path);

/* Where standard input (0), output (1) and error (2) of a program come from and go. */
enum trm_redirection {
	TRM_INHERIT, /* those of this process; the default. Of a far program output comes
			as events (TRM_RELAY), and there is no input */
	TRM_NULL,    /* /dev/null */
	TRM_FILE,    /* `path`, on the engine's host */
	TRM_RELAY,   /* output: events of the kind TRM_EVENT_OUTPUT. The program waits
			while nobody takes them. Input: trm_process_write */
};
struct trm_error *trm_process_redirect(struct trm_process *process, int stream,
				       enum trm_redirection how, const char *path);

/* Writes the profile to a file of the engine's host when the measurement is over: also if
 * this process has ended by then. NULL: to one of the engine's own, which is released
 * with the process (the default). */
struct trm_error *trm_process_output(struct trm_process *process, const char *path);

/* Does not count until trm_process_resume: the program is started, and can be measured,
 * but counting has not begun. */
struct trm_error *trm_process_pause_first(struct trm_process *process);

/* Starts the program, or the measurement of the process that runs. Returns when that has
 * happened; the error says why it has not, and then nothing was changed. */
struct trm_error *trm_process_run(struct trm_process *process);

/* Waits until the measurement is over, at most `timeout_ms` milliseconds (-1: for ever);
 * TRM_CONTROL_LIMIT: it was not by then. Events stay for trm_engine_wait, but for those
 * with callbacks. `ret_status`: of the first process, as waitpid has it; may be NULL. An
 * error if the profile could not be written. */
struct trm_error *trm_process_wait(struct trm_process *process, int timeout_ms,
				   int *ret_status);

enum trm_process_state {
	TRM_PROCESS_NEW,      /* it was not run yet */
	TRM_PROCESS_RUNNING,  /* and is measured */
	TRM_PROCESS_MEASURED, /* the measurement is over */
};
struct trm_error *trm_process_state(struct trm_process *process,
				    enum trm_process_state *ret_state);
/* The first process, as its host numbers it; 0: not yet. */
struct trm_error *trm_process_pid(struct trm_process *process, int *ret_pid);
/* As a shell says that a program could not be run, 126 or 127, after such an error of
 * trm_process_run; else 0. */
struct trm_error *trm_process_refused(struct trm_process *process, int *ret_refused);

/* Sends the first process a signal; kills it. */
struct trm_error *trm_process_signal(struct trm_process *process, int number);
struct trm_error *trm_process_kill(struct trm_process *process);
/* Ends the measurement; what is measured runs on as if it had never been. The event
 * TRM_EVENT_MEASURED comes when the profile is there: of a program that was started here,
 * when its first process has ended. */
struct trm_error *trm_process_detach(struct trm_process *process);

/* Writes to the program's standard input, which is TRM_RELAY. TRM_CONTROL_LIMIT: it does
 * not read. No bytes: the end of it. */
struct trm_error *trm_process_write(struct trm_process *process, const void *bytes,
				    size_t size);

/* The debugger of `trammel debug`, with the process; only before trm_process_run. The
 * program stops in front of its first instruction, and its output and input are as
 * redirected. Messages of the debugger, as `trammel debug --connect` takes them, are
 * events of the kind TRM_EVENT_OUTPUT with the value 3; trm_process_say sends some
 * (TRM_CONTROL_LIMIT: it does not read; no bytes: the end). `on_crash` not 0: nothing
 * stops it but a signal that would end it. */
struct trm_error *trm_process_debug(struct trm_process *process, int on_crash);
struct trm_error *trm_process_say(struct trm_process *process, const void *bytes,
				  size_t size);

/* What all threads of a process of trm_process_attach do now, and what they wait for: in
 * place of trm_process_run. It comes as events of the kind TRM_EVENT_OUTPUT, as text, or
 * as a JSON object if `json` is not 0, and then the "measurement" is over.
 * Nothing of the process is changed, and there is no profile. */
struct trm_error *trm_process_stacks(struct trm_process *process, int json);

/* Has the engine write the profile again and again, every `period_ns` nanoseconds, while
 * the process is measured; only before trm_process_run. Measurements without a tracer can
 * be looked at so, too. A program that is started so reads and writes /dev/null.
 * trm_process_saved writes the last one to a file of this host, and the moment at which
 * it was written (nanoseconds, of the engine's clock) to `ret_time_ns`.
 * TRM_CONTROL_GONE: there is none yet. */
struct trm_error *trm_process_save_every(struct trm_process *process, uint64_t period_ns);
struct trm_error *trm_process_saved(struct trm_process *process, const char *path,
				    uint64_t *ret_time_ns);

/* Counting while the program runs: the collector. Counts are those of the profile;
 * between a pause and a resume nothing is counted. These are errors
 * (TRM_CONTROL_UNSUPPORTED) of measurements without a tracer: samples, stacks, waits and
 * regions by themselves. */
struct trm_error *trm_process_pause(struct trm_process *process);
struct trm_error *trm_process_resume(struct trm_process *process);
/* Counts from now on are told apart, as an interval of the profile: trm_process_read
 * returns those since the last reset. */
struct trm_error *trm_process_reset(struct trm_process *process);
/* The counts so far, since the last reset: as trm_profile_functions has them. Counters
 * are read one after the other, while the program runs. */
struct trm_error *trm_process_read(struct trm_process *process,
				   struct trm_records **ret_records);
/* Writes a profile of what was counted so far, all intervals, to a file of this host. */
struct trm_error *trm_process_save_now(struct trm_process *process, const char *path);

/* Writes the profile of a measurement that is over to a file of this host. The file
 * appears whole or not at all. */
struct trm_error *trm_process_save(struct trm_process *process, const char *path);

/* Lets the profile stay on the engine's host, as a file, when the process is released:
 * what cannot be written here is not lost. Writes its path there, at most `size` bytes.
 */
struct trm_error *trm_process_keep(struct trm_process *process, char *ret_path,
				   size_t size);

/* Releases a process with its profile (but for trm_process_output's). One that is
 * measured still is measured to its end. NULL is allowed. */
void trm_process_release(struct trm_process *process);

#ifdef __cplusplus
}
#endif

#endif
