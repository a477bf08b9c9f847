/*
 * Code at one fixed address that is run bare, one instruction after the other by the trap
 * flag, which tells what counters must have counted, and relocated as a plan has it.
 */
#ifndef TRAMMEL_TESTS_WHOLE_AREA_H
#define TRAMMEL_TESTS_WHOLE_AREA_H

#include "code/plan/request.h"
#include "plan_image.h"

#include "code/count/frequencies.h"

#include <signal.h>
#include <ucontext.h>

enum {
	WHOLE_ADDRESS = 0x20000000, /* of the code; link-time, too. See routines.S */
	WHOLE_CODE = WHOLE_ADDRESS + (1 << 19), /* of plan.code */
	WHOLE_SIZE = 1 << 21,
	WHOLE_TEXT_MAX = 1 << 18,
	WHOLE_COUNTERS = 1 << 18,
	WHOLE_SCRATCH = 512, /* bytes that functions may write to */
};

struct whole_area {
	struct image image;
	struct plan *plan;
	enum plan_depth depth; /* of it; PLAN_BLOCKS unless changed */
	size_t edges, joined;  /* that were checked, and that have no count */
	size_t text, size;     /* bytes of code, and with its data */
	uint8_t *bare;         /* a copy of all of it */
	bool copies_calls;     /* plan_request.copy_calls */
	bool live;             /* plan_request.live */
	bool flags;            /* plan_request.probe is PLAN_PROBE_FLAG */
	const struct frequencies *frequencies; /* plan_request.frequencies */
	const struct point_sources *points; /* plan_request.points, and what of the bank
					       they use */
	struct plan_point_layout point_layout;
};

/* What a run of a function left behind. */
struct whole_result {
	uint64_t rax;
	uint8_t scratch[WHOLE_SCRATCH];
};

/* By slot, as the relocated code has counted; by offset and by function, as was seen. */
extern uint64_t whole_counters[WHOLE_COUNTERS];
extern uint32_t whole_executed[WHOLE_TEXT_MAX], whole_calls[WHOLE_TEXT_MAX];

/* Maps the code: `text` bytes of instructions and data behind them. Functions are to be
 * added to area->image then. */
void whole_area_open(struct whole_area *area, const uint8_t *bytes, size_t text,
		     size_t size, enum image_type type);
/* Makes the plan for all blocks or edges, and sets all counts to 0. */
void whole_area_plan(struct whole_area *area);
/* The same by other frequencies; NULL: nothing is known. They must outlive the plan. */
void whole_area_plan_again(struct whole_area *area,
			   const struct frequencies *frequencies);
/* What may be in a file: any bits, for three of four functions, a third of them 0; of
 * some functions for their blocks alone, or for none. */
struct frequencies whole_draw_frequencies(const struct plan *plan, uint32_t seed);
/* Puts the plan's code into place, or, if it is not to be executed, what traps. */
void whole_area_fill(const struct whole_area *area, bool with_code);
/* Plans as the request says, for a bank whose counters begin at `first_slot` (bytes), and
 * shows the patched code. */
void whole_area_make(struct whole_area *area, const struct plan_request *request,
		     uint32_t first_slot);
void whole_area_close(struct whole_area *area);

/* What the area holds from now on: the bare code or the patched one. Data are as at the
 * beginning. */
void whole_area_show(const struct whole_area *area, bool patched);

/* Runs the function at an address, with flags that depend on `seed`, as does what the
 * scratch memory holds. */
struct whole_result whole_run(uint64_t address, uint64_t a, uint64_t b, unsigned seed);
/* Of EFLAGS: what makes steps; a step may take it away. */
enum { TRAP_FLAG = 0x100 };

/* The same by single steps. `step` is called in front of each instruction, in a signal
 * handler. */
typedef void whole_step(void *context, ucontext_t *ucontext);
struct whole_result whole_run_stepped(uint64_t address, uint64_t a, uint64_t b,
				      unsigned seed, whole_step *step, void *context);

/* A step of the bare code, of area `context`: fills in whole_executed and whole_calls. */
void whole_note_step(void *context, ucontext_t *ucontext);

/* What whole_note_step saw of an area, to be used again where the same code is planned
 * in another way: single steps take long. Free it with whole_seen_free. */
struct whole_seen;
struct whole_seen *whole_seen_keep(const struct whole_area *area);
/* As if these steps were made again, after whole_area_plan. */
void whole_seen_use(const struct whole_area *area, const struct whole_seen *seen);
void whole_seen_free(struct whole_seen *seen);

/* All counters are what was seen. */
void whole_check_counts(struct whole_area *area);

/* For plan_locate. */
const uint8_t *whole_original_at(void *context, uint64_t address, size_t size);

/* The functions of routines.S. */
struct whole_routine {
	const char *name;
	const uint8_t *start;
	uint64_t size;
};
extern const struct whole_routine first_function[], last_function[];
/* Opens an area of them and plans it. */
void whole_routines_open(struct whole_area *area, enum image_type type,
			 enum plan_depth depth);
/* Whether a routine may be called by itself in such an area. */
bool whole_routine_runs(const char *name, enum image_type type);

#endif
