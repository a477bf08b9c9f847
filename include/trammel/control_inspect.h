/* Events, stops, memory and registers of measured programs: included by
 * trammel/control.h, whose head says how errors, threads and objects are. They are those
 * of the original program, wherever its code runs. When a process is released, or who
 * controls it is gone, what stands goes on. Measurements without a tracer (samples,
 * stacks, waits and regions by themselves) have none of it (TRM_CONTROL_UNSUPPORTED). */
#ifndef TRAMMEL_CONTROL_INSPECT_H
#define TRAMMEL_CONTROL_INSPECT_H

#include <trammel/control.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trm_error;
struct trm_process;
struct trm_records;

/* Has events of processes, threads, libraries and signals come from now on, before
 * trm_process_run from the program's beginning on: TRM_EVENT_FORK, _EXEC, _ENDED,
 * _THREAD, _THREAD_ENDED, _LOADED, _UNLOADED; _SIGNAL, at which all threads stand until
 * trm_process_go. The other functions here do so, too. */
struct trm_error *trm_process_watch(struct trm_process *process);

/* Has TRM_EVENT_ANNOTATION come at each begin and end of the program's regions, those of
 * its children, too: text: "region=solve", at most 511 bytes; value: 1 it began, 0 it
 * ended. Only before trm_process_run of a program that is started; "regions" must be
 * measured, with something that counts. The program waits for the tracer at each. */
struct trm_error *trm_process_watch_regions(struct trm_process *process);

/* Asks all threads to stop; TRM_EVENT_STOPPED comes when they stand. Before
 * trm_process_run: the program is to stop in front of its first instruction. */
struct trm_error *trm_process_stop(struct trm_process *process);
/* Lets them go on, all threads stand before. */
struct trm_error *trm_process_go(struct trm_process *process);
/* Has a thread (0: the first) execute one instruction; TRM_EVENT_STOPPED comes then. */
struct trm_error *trm_process_step(struct trm_process *process, int tid);

/* Stops the program each time that a thread comes to a place, after `ignore` times:
 * TRM_EVENT_BREAKPOINT, value: its number; text: the place. A place is "function",
 * "module:function" (with `*` as in shells), or "0x1234", an address in the running
 * program. Functions are met in all processes, and in programs that these execute; those
 * of a module that is named, and is not loaded yet, when it is. */
struct trm_error *trm_process_break(struct trm_process *process, const char *place,
				    uint64_t ignore, uint32_t *ret_number);
/* Tells the first time (TRM_EVENT_FUNCTION), and stops nobody. */
struct trm_error *trm_process_first(struct trm_process *process, const char *place,
				    uint32_t *ret_number);
/* Stops the program once, when the first process comes to a place for the `count`-th time
 * since it began (1: the first): TRM_EVENT_COUNTER, value: `count`. Times so far are
 * those that were counted of a function's calls, 0 of other places. All threads stand
 * before (trm_process_stop), unless the place is in no module yet. */
struct trm_error *trm_process_reach(struct trm_process *process, const char *place,
				    uint64_t count, uint32_t *ret_number);
/* Takes one of these away. */
struct trm_error *trm_process_unbreak(struct trm_process *process, uint32_t number);

/* Memory of the first process, `size` bytes. Code is the original one, and is not
 * written where it is measured. */
struct trm_error *trm_process_read_memory(struct trm_process *process, uint64_t address,
					  void *ret_bytes, size_t size);
struct trm_error *trm_process_write_memory(struct trm_process *process, uint64_t address,
					   const void *bytes, size_t size);

/* Registers of a thread (0: the first) that stands: records of "name" and "value", a
 * decimal number; "rip" is where it is in the original program. */
struct trm_error *trm_process_registers(struct trm_process *process, int tid,
					struct trm_records **ret_records);
struct trm_error *trm_process_set_register(struct trm_process *process, int tid,
					   const char *name, uint64_t value);

/* Threads: records of "pid" and "tid". Modules: "path", "from", "to" (of the code) and
 * "bias" (what is added to addresses of the file), decimal numbers. */
struct trm_error *trm_process_threads(struct trm_process *process,
				      struct trm_records **ret_records);
struct trm_error *trm_process_modules(struct trm_process *process,
				      struct trm_records **ret_records);

#ifdef __cplusplus
}
#endif

#endif
