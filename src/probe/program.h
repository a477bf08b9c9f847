/*
 * One-line probes, as their text says: points of a program, and what is done there. A
 * program of probes has no loops and no way to write to the measured program; all that it
 * writes are cells of its own.
 *
 *     libc.so.6:malloc { sizes = hist(arg0) }
 *     app:solve@return { slow = count() if ns > 1ms; by region.path }
 *
 * The grammar is in man/trammel-probe.7.md.
 */
#ifndef TRAMMEL_PROBE_PROGRAM_H
#define TRAMMEL_PROBE_PROGRAM_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a probe's points are. */
enum probe_place {
	PROBE_ENTRY,
	PROBE_RETURN,
	PROBE_CALL,
	PROBE_LOAD,
	PROBE_STORE,
	PROBE_LOOP, /* a loop is left */
	PROBE_ADDRESS,
	PROBE_LINE,
	PROBE_PLACES,
};

/* A set of places has bit `place` of each. */
enum {
	PROBE_IN_FRAME = 1 << PROBE_ENTRY | 1 << PROBE_RETURN,
	PROBE_ANYWHERE = (1 << PROBE_PLACES) - 1,
};

struct probe_point {
	enum probe_place place;
	char *module;     /* glob of file names or paths; "*": any */
	char *name;       /* glob of functions; of a line, the file's name */
	uint64_t address; /* link-time, of PROBE_ADDRESS; of a line, its number */
	size_t at;        /* offset in the text, bytes */
	bool matched;     /* a function, address or line was found for it */
	bool direct;      /* a function was that is no resolver of an indirect one */
	uint32_t next;    /* PROBE_LINE, if not matched: the next line of such a file that
			     has code; 0: none */
};

enum probe_term_kind {
	PROBE_NUMBER,         /* number */
	PROBE_LITERAL,        /* name: a string in quotes */
	PROBE_VARIABLE,       /* name: of the measured program */
	PROBE_ARGUMENT,       /* number: which, from 0 on */
	PROBE_FLOAT_ARGUMENT, /* number: which of those of floating point, from 0 on */
	PROBE_FLOAT_RESULT,
	PROBE_SCALED,   /* first, a number of floating point, times `number` */
	PROBE_REGISTER, /* number: as instructions encode it */
	PROBE_RESULT,   /* what the function returns */
	PROBE_ELAPSED,  /* ns since its entry */
	PROBE_TIME,     /* ns on a clock that never goes back */
	PROBE_THREAD,   /* the kernel's number of the thread */
	PROBE_CALLER,   /* return address of the function */
	PROBE_REGION,   /* path of the program's own region that the thread is in */
	PROBE_PHASE,    /* address of the view of its bank in which the thread counts */
	PROBE_FUNCTION, /* name of the function that the point is in */
	PROBE_SOURCE_LINE,     /* file and line of that, as text */
	PROBE_PC,              /* address of the point's instruction */
	PROBE_ACCESS,          /* address that is loaded or stored */
	PROBE_ACCESS_SIZE,     /* bytes */
	PROBE_ACCESS_VALUE,    /* what is loaded or stored */
	PROBE_TRIPS,           /* how often the loop's first instruction was executed */
	PROBE_THREAD_VARIABLE, /* number: of program.thread_names */
	PROBE_CALL_VARIABLE,   /* number: of program.call_names */
	PROBE_STRING,          /* str(first) */
	PROBE_UNARY,           /* symbol, first */
	PROBE_BINARY,          /* symbol, first, second */
	PROBE_MEMBER,          /* first, name; `number`: through a pointer (->) */
	PROBE_INDEX,           /* first [second] */
	PROBE_FOLLOW,          /* *first */
	PROBE_CAST,            /* (type) first */
	PROBE_TERM_KINDS,
};

/* Operators. Those with two operands are in the order of `operators` in parse_terms.c. */
enum probe_symbol {
	PROBE_OR,
	PROBE_AND,
	PROBE_BIT_OR,
	PROBE_BIT_XOR,
	PROBE_BIT_AND,
	PROBE_EQUAL,
	PROBE_UNEQUAL,
	PROBE_LESS,
	PROBE_LESS_EQUAL,
	PROBE_GREATER,
	PROBE_GREATER_EQUAL,
	PROBE_SHIFT_LEFT,
	PROBE_SHIFT_RIGHT,
	PROBE_PLUS,
	PROBE_MINUS,
	PROBE_TIMES,
	PROBE_DIVIDE,
	PROBE_REST,
	PROBE_NOT, /* !a */
	PROBE_NEGATE,
	PROBE_COMPLEMENT,
};

/* A type as a cast names it. */
struct probe_type_name {
	char *name;       /* of a struct, union, enum, class or typedef; NULL: a number */
	uint8_t size;     /* bytes of a number: 1, 2, 4 or 8 */
	bool is_signed;   /* of a number */
	uint8_t pointers; /* how many stars are behind it */
};

enum { PROBE_NO_TERM = UINT32_MAX };

struct probe_term {
	enum probe_term_kind kind;
	enum probe_symbol symbol;
	uint32_t first, second; /* operands, by index in program.terms; PROBE_NO_TERM */
	uint64_t number;
	char *name;                  /* NULL: none */
	struct probe_type_name type; /* of a cast */
	size_t at;                   /* offset in the text, bytes */
};

enum probe_action_kind {
	PROBE_COUNT,
	PROBE_SUM,
	PROBE_MIN,
	PROBE_MAX,
	PROBE_AVG,
	PROBE_HIST,   /* rows by power of two */
	PROBE_LINEAR, /* rows of `step` from `low` to `high` */
	PROBE_TOP,    /* the `limit` keys with the largest counts or sums */
	PROBE_TRACE,  /* each hit by itself */
	PROBE_SET_THREAD,
	PROBE_SET_CALL, /* `variable` = operand */
	PROBE_ACTION_KINDS,
};

enum {
	PROBE_KEYS_MAX = 4,
	PROBE_OPERANDS_MAX = 6,
	PROBE_PHASE_KEYS = 1,    /* and one that probe_program_add_phases adds */
	PROBE_SCALE_MAX = 1000,  /* of scaled() */
	PROBE_STRING_MAX = 120,  /* bytes of a string that are kept */
	PROBE_ROWS_MAX = 500,    /* of a linear histogram */
	PROBE_POWER_ROWS = 129,  /* of a power-of-two histogram: see probe_power_row */
	PROBE_CALL_CELLS = 14,   /* words kept between entry and return */
	PROBE_THREAD_CELLS = 64, /* variables of threads */
	PROBE_CELLS_MAX = 8192,  /* words of all actions */
	PROBE_ACTIONS_MAX = 512,
};

struct probe_action {
	enum probe_action_kind kind;
	char *name; /* as given, or the text of the action */
	size_t at;
	uint32_t operands[PROBE_OPERANDS_MAX + PROBE_PHASE_KEYS], operand_count;
	uint32_t keys[PROBE_KEYS_MAX + PROBE_PHASE_KEYS], key_count;
	/* As written; NULL: nobody did. */
	char *key_names[PROBE_KEYS_MAX + PROBE_PHASE_KEYS];
	char *operand_names[PROBE_OPERANDS_MAX + PROBE_PHASE_KEYS];
	uint32_t condition; /* PROBE_NO_TERM: none */
	int64_t low, high, step;
	uint32_t limit;
	uint32_t variable; /* number of the variable that is set */
	uint32_t cells;    /* index of its first word: see probe/cells.h */
	uint32_t extreme;  /* of min() and max(): index among all of these */
	uint32_t number;   /* among all actions */
};

struct probe {
	uint32_t source; /* index in program.texts */
	char *name;      /* the points, as written */
	struct VECTOR(struct probe_point) points;
	struct VECTOR(struct probe_action) actions;
	uint32_t condition;            /* of all actions; PROBE_NO_TERM: none */
	uint32_t first_term, end_term; /* in program.terms */
};

struct probe_names VECTOR(char *);

struct probe_program {
	struct VECTOR(char *) texts;
	struct VECTOR(struct probe) probes;
	struct VECTOR(struct probe_term) terms;
	struct probe_names thread_names, call_names; /* of variables */
	uint32_t cell_count;                         /* words of all actions */
	uint32_t extreme_count; /* and words that keep a largest number */
	uint32_t action_count;
};

/* Frees what a program owns. */
void probe_program_deinit(struct probe_program *program);

/* Frees what an action owns. */
void probe_action_deinit(struct probe_action *action);

/* The words of places and actions by their enums, NULL behind the last. */
extern const char *const probe_place_names[], *const probe_action_names[];

/* Returns whether any action is done by a routine in the program: sums by keys, records.
 */
bool probe_program_calls(const struct probe_program *program);

/* Returns whether any value is what programs say of themselves (PROBE_REGION). */
bool probe_program_has_regions(const struct probe_program *program);

/* Has all actions whose words are no counters of modules tell phases apart: the last key,
 * or operand, is a PROBE_PHASE then. */
void probe_program_add_phases(struct probe_program *program);

/* Returns the word by which points name a place ("return"); "" for an entry. */
const char *probe_place_name(enum probe_place place);

/* Adds why a point that nothing matched has no place: "nothing is named solve". */
void probe_point_describe_lack(const struct probe_point *point, struct text *text);

/* Returns the word by which the language names an action ("count"). */
const char *probe_action_name(enum probe_action_kind kind);

#endif
