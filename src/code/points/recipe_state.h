/*
 * A recipe while it is written: what the engine knows of the place, and the code so far.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_STATE_H
#define TRAMMEL_CODE_POINTS_RECIPE_STATE_H

#include "code/emit/emit.h"
#include "code/plan/request.h"
#include "code/points/points.h"
#include "code/points/recipe.h"

/* The place of a point. */
struct recipe_place {
	const uint8_t *bytes; /* of the instruction at the point */
	uint8_t length;
	uint8_t where;    /* enum point_where */
	uint64_t address; /* of the instruction's original, link-time */
	uint16_t live;    /* general registers that are alive */
	uint8_t flags;    /* flags that are alive: x86/flags.h */
	bool no_stack;    /* below the red zone there may be no stack */
	bool behind_call; /* POINT_AFTER of a call */
	bool may_return;  /* at an entry: the function may return without being run */
	uint32_t first_slot, module_slot; /* numbers of counters */
	const struct plan_point_layout *layout;
};

enum {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
	RECIPE_RED_ZONE = 128,
	RECIPE_RETURN_SIZE = 8,
	RECIPE_CALLS_MAX = 8,
	/* Bytes for a point's code while it is measured: more than it may have. */
	RECIPE_SCRATCH = 2 * POINT_SIZE_MAX,
};

struct recipe_branch {
	uint32_t at; /* offset of a displacement of 4 bytes in emitter.code */
	int label;
	bool is_short; /* of one byte */
};

struct recipe {
	const struct recipe_place *place;
	struct emitter *emitter;
	uint8_t trouble; /* enum point_trouble, the first one */
	/* What an earlier writing has found. */
	uint16_t known_saved, known_read;
	bool known_flags; /* flags are saved in front */
	bool known_aside; /* on the stack, as rax is needed */
	bool known_stack; /* rsp is lowered in any case */
	bool known_far;   /* more is in front of a call than a row of the map has */
	/* What this one has found. */
	uint16_t taken;   /* registers */
	uint16_t spoiled; /* were taken at some time */
	uint16_t read;    /* the program's values were asked for */
	uint16_t saved;   /* taken though they are alive */
	bool flags;       /* flags are changed that are alive */
	bool aside, stack;
	bool once;   /* see recipe_calls_once */
	bool unmade; /* and what is in front of the call can be undone: signals need not
			wait for it */
	/* While the code is written: */
	int label_count;
	uint32_t labels[RECIPE_LABELS_MAX]; /* offset in emitter.code; 0: not known */
	struct VECTOR(struct recipe_branch) branches;
	/* Numbers of rows of plan.points.checks that go on at a label. */
	struct VECTOR(struct recipe_branch) checks;
	uint32_t calls[RECIPE_CALLS_MAX]; /* offsets behind calls of routines */
	unsigned call_count;
	unsigned copy_count; /* of vector registers */
	bool replaces;       /* the function: the code ends in RECIPE_RETURN_SIZE bytes
				that are a point of their own */
};

void recipe_fail(struct recipe *recipe, enum point_trouble trouble);

/* Notes that flags are changed next. */
void recipe_spoil_flags(struct recipe *recipe);

/* Whether they may be: none is alive, or they are saved. */
bool recipe_flags_are_free(const struct recipe *recipe);

/* Whether rax may be needed to keep flags. */
bool recipe_keeps_flags(const struct recipe *recipe);

/* Registers whose values need not be kept, a bit each. */
uint16_t recipe_free_registers(const struct recipe *recipe);

/* Whether registers or flags are saved on the stack. */
bool recipe_uses_stack(const struct recipe *recipe);

/* Bytes by which rsp is lower than the program's, while the recipe's own code runs. */
uint32_t recipe_depth(const struct recipe *recipe);

/* Where the program's value of a register is: in that register, or, with its offset from
 * rsp in `ret_offset`, on the stack. */
bool recipe_is_in_place(struct recipe *recipe, int number, uint32_t *ret_offset);

/* Loads the program's value of a register. */
void recipe_load_register(struct recipe *recipe, int to, int number);

/* Offset in the bank of a counter, without the module's; for emit_slot. */
uint32_t recipe_place_of_slot(const struct recipe *recipe, uint32_t slot);

#endif
