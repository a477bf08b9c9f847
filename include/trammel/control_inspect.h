/* Events, stops, memory and registers of measured programs: included by
 * trammel/control.h, whose head says how errors, threads and objects are. They are those
 * of the original program, wherever its code runs. Measurements without a tracer
 * (samples, stacks, waits and regions by themselves) have none of it
 * (TRM_CONTROL_UNSUPPORTED). */
#ifndef TRAMMEL_CONTROL_INSPECT_H
#define TRAMMEL_CONTROL_INSPECT_H

#include <trammel/control.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trm_error;
struct trm_process;
struct trm_records;

/* Has events of processes, threads, libraries and signals come from now on:
 * TRM_EVENT_FORK, _EXEC, _ENDED, _THREAD, _THREAD_ENDED, _LOADED, _UNLOADED; _SIGNAL, at
 * which all threads stand until trm_process_go. The other functions here do so, too. */
struct trm_error *trm_process_watch(struct trm_process *process);

/* Asks all threads to stop; TRM_EVENT_STOPPED comes when they stand. */
struct trm_error *trm_process_stop(struct trm_process *process);
/* Lets them go on, all threads stand before. */
struct trm_error *trm_process_go(struct trm_process *process);
/* Has a thread (0: the first) execute one instruction; TRM_EVENT_STOPPED comes then. */
struct trm_error *trm_process_step(struct trm_process *process, int tid);

/* Stops the program each time that a thread comes to a place, after `ignore` times:
 * TRM_EVENT_BREAKPOINT, value: its number. A place is "function", "module:function" (with
 * `*` as in shells), or "0x1234", an address in the running program. */
struct trm_error *trm_process_break(struct trm_process *process, const char *place,
				    uint64_t ignore, uint32_t *ret_number);
/* Tells the first time (TRM_EVENT_FUNCTION), and stops nobody. */
struct trm_error *trm_process_first(struct trm_process *process, const char *place,
				    uint32_t *ret_number);
/* Takes either away. */
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
