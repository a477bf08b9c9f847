/* Perf events that are open: one for each event and processor, and threads or a program
 * that begins; and the rings that they write to, one a processor. */
#ifndef TRAMMEL_SAMPLE_SOURCE_H
#define TRAMMEL_SAMPLE_SOURCE_H

#include "base/table.h"
#include "base/text.h"
#include "sample/event.h"
#include "sample/order.h"

#include <sys/types.h>

/* One event in all that it was opened for. */
struct sample_tally {
	bool opened, refused;
	uint64_t total;      /* events that happened, in the kernel, too */
	uint64_t running_ns; /* time in which a counter counted it */
};

/* A descriptor. */
struct sample_opened {
	int fd;
	uint32_t event; /* index */
	uint64_t id;
	uint64_t total; /* of it when its period was changed last */
	uint32_t group; /* of descriptors that are closed together; 0: at the end */
};

struct sample_source {
	struct sample_events *events;
	struct sample_tally tallies[SAMPLE_EVENTS_MAX];
	uint64_t run_ns;    /* time that the threads ran */
	bool branches;      /* samples are to have the last branches */
	bool kernel;        /* samples are of the kernel's code, too */
	struct table types; /* of samples of events that have extras, by id */
	struct VECTOR(struct sample_opened) opened;
	struct VECTOR(struct sample_ring) rings; /* by processor */
	struct sample_order order;
	struct text notes;    /* lines: events that are not there, and why */
	uint64_t jittered_ns; /* time of the last change of periods */
	unsigned int seed;
	bool looked;        /* no events are open: see sample_source_look */
	uint64_t looks;     /* that found a thread running */
	struct table by_id; /* of an event, by its descriptors' ids: index + 1 */
	uint32_t group;     /* of what is opened next */
	bool begun;         /* what is opened from now on begins at once */
	size_t ring_size;   /* bytes; 0: the usual size */
};

/* The id of records of looks at threads. */
#define SAMPLE_LOOK_ID UINT64_MAX

/* Begins with events, which must outlive it. */
void sample_source_init(struct sample_source *source, struct sample_events *events);
void sample_source_deinit(struct sample_source *source);

/* Opens all events for a thread `tid`, and all threads and processes that it will make:
 * from its next exec on, or, with `at_once`, from sample_source_start on. Events that the
 * machine does not have become a line of notes, and if none is left the processor's clock
 * is used. Errors: TRM_ERROR_UNSUPPORTED with the remedy if perf events are forbidden,
 * TRM_ERROR_GONE if there is no such thread. */
struct trm_error *sample_source_open(struct sample_source *source, pid_t tid,
				     bool at_once);
/* Takes samples by looks at threads instead, which are records of SAMPLE_LOOK_ID: by the
 * first event, which becomes the processor's clock. What was opened is closed. `why`:
 * what forbids events, for the notes. */
void sample_source_look(struct sample_source *source, const char *why);

/* Returns a period near `period`, by chance. */
uint64_t sample_source_jitter(struct sample_source *source, uint64_t period);

/* Opens all events for all processes, those that are there and those that begin. Errors
 * as for sample_source_open. */
struct trm_error *sample_source_open_all(struct sample_source *source);
/* Opens rings that belong to this process, so that they outlive those that are measured.
 */
struct trm_error *sample_source_open_rings(struct sample_source *source);
/* Closes what was opened as a group. */
void sample_source_close(struct sample_source *source, uint32_t group);
/* Lets all events begin, or ends them. */
void sample_source_start(struct sample_source *source);
void sample_source_stop(struct sample_source *source);

/* Waits until a ring is half full, `fd` (-1: none) can be read, or the time is over. */
void sample_source_wait(const struct sample_source *source, int fd, int wait_ms);

/* Reads the rings and visits the records that are older than now; with `all`, also those
 * that are not. Changes periods by chance now and then, by 5 % at most, so that they do
 * not keep step with the program. */
void sample_source_drain(struct sample_source *source, bool all, sample_visit *visit,
			 void *context);

/* Notes that there is a descriptor. */
void sample_source_add(struct sample_source *source, const struct sample_opened *opened);

/* Finds the index of the event with a descriptor's id; false: none has it. */
bool sample_source_event(const struct sample_source *source, uint64_t id,
			 uint32_t *ret_event);

/* Reads the totals of all events. */
void sample_source_count(struct sample_source *source);

#endif
