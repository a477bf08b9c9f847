/*
 * Values that analysis routines are given, and code that tools write themselves, inline:
 * part of <trammel/tool.h>.
 */
#ifndef TRAMMEL_TOOL_RECIPE_H
#define TRAMMEL_TOOL_RECIPE_H

#include <trammel/tool_code.h>

#ifdef __cplusplus
extern "C" {
#endif

enum trammel_value {
	TRAMMEL_INT,      /* static: a number */
	TRAMMEL_TEXT,     /* static: a string, copied into the program */
	TRAMMEL_DATA,     /* static: bytes, copied into the program once: the routine is
			     given the address of the copy, which it may write to. All
			     points that name the same bytes, by their address and size,
			     have one copy: so the bytes must stay */
	TRAMMEL_REGISTER, /* general register `number`, as the program has it */
	TRAMMEL_ADDRESS,  /* effective address of memory operand `number` */
	TRAMMEL_SIZE,     /* its size in bytes; 0: not fixed */
	TRAMMEL_MEMORY,   /* what is there, of at most 8 bytes, zero-extended: before a
			     load what it will read, after a store what it wrote */
	TRAMMEL_TAKEN,    /* 1 if the conditional branch here will be taken, else 0 */
	TRAMMEL_TARGET,   /* where an indirect jump or call, or a return, will go */
	TRAMMEL_INDEX,    /* number of the target of a switch among its `targets`: before
			     that, or on one of its edges; in add_code on edges alone,
			     like TRAMMEL_TARGET of a switch */
	TRAMMEL_RETURNED, /* the integer or pointer that is returned: at an exit, and
			     after a call */
	TRAMMEL_ARGUMENT, /* integer or pointer argument `number` of a function: at its
			     entry, and before a call */
	TRAMMEL_CALLER,   /* return address: at an entry */
	TRAMMEL_PC,       /* address of the point in the running program */
	TRAMMEL_THREAD,   /* number of the thread, as the kernel has it */
	TRAMMEL_TIME,     /* the time-stamp counter; 0 where it may not be read */
	TRAMMEL_BANK,     /* older name of TRAMMEL_THREAD */
	TRAMMEL_STATUS,   /* the status flags, with the bits of EFLAGS */
	TRAMMEL_VECTOR,   /* vector register `number` (0: xmm0, ymm0, zmm0): the address
			     of a copy of 64 bytes, good until the routine returns; 0
			     beyond what the processor has. Up to six in a call */
	TRAMMEL_VECTOR_LOW, /* its low 64 bits: see trammel_as_double() */
	TRAMMEL_CONTEXT, /* number of the region in which an annotated program says that
			    it is (-m regions), of this thread; 0: in none */
	TRAMMEL_TAKEN_REGISTER, /* in add_code alone: a register that was taken */
	/* Of what is loaded or unloaded, at trammel_module_load and _unload alone: */
	TRAMMEL_MODULE_PATH, /* a string, good until the routine returns */
	TRAMMEL_MODULE_BIAS  /* its addresses in the running program less those in the
				file */
};

struct trammel_argument {
	uint16_t kind;    /* enum trammel_value */
	uint16_t number;  /* of a register, operand, argument */
	uint32_t size;    /* bytes of data; of MEMORY, 0: as the instruction has it */
	int64_t value;    /* of INT */
	const void *data; /* of TEXT and DATA: copied at once */
};

static inline struct trammel_argument trammel_value_of(enum trammel_value kind,
						       unsigned int number)
{
	struct trammel_argument argument = {(uint16_t)kind, (uint16_t)number, 0, 0, NULL};

	return argument;
}

static inline struct trammel_argument trammel_int(int64_t value)
{
	struct trammel_argument argument = {TRAMMEL_INT, 0, 0, value, NULL};

	return argument;
}

static inline struct trammel_argument trammel_text(const char *text)
{
	struct trammel_argument argument = {TRAMMEL_TEXT, 0, 0, 0, text};

	return argument;
}

static inline struct trammel_argument trammel_data(const void *data, uint32_t bytes)
{
	struct trammel_argument argument = {TRAMMEL_DATA, 0, bytes, 0, data};

	return argument;
}

#define TRAMMEL_NUMBERED_(name, kind)                                                    \
	static inline struct trammel_argument name(unsigned int number)                  \
	{                                                                                \
		return trammel_value_of(kind, number);                                   \
	}
TRAMMEL_NUMBERED_(trammel_register, TRAMMEL_REGISTER)
TRAMMEL_NUMBERED_(trammel_address, TRAMMEL_ADDRESS)
TRAMMEL_NUMBERED_(trammel_size, TRAMMEL_SIZE)
TRAMMEL_NUMBERED_(trammel_memory, TRAMMEL_MEMORY)
TRAMMEL_NUMBERED_(trammel_argument_of, TRAMMEL_ARGUMENT)
TRAMMEL_NUMBERED_(trammel_vector, TRAMMEL_VECTOR)
TRAMMEL_NUMBERED_(trammel_vector_low, TRAMMEL_VECTOR_LOW)

#define TRAMMEL_NUMBERLESS_(name, kind)                                                  \
	static inline struct trammel_argument name(void)                                 \
	{                                                                                \
		return trammel_value_of(kind, 0);                                        \
	}
TRAMMEL_NUMBERLESS_(trammel_taken, TRAMMEL_TAKEN)
TRAMMEL_NUMBERLESS_(trammel_target, TRAMMEL_TARGET)
TRAMMEL_NUMBERLESS_(trammel_index, TRAMMEL_INDEX)
TRAMMEL_NUMBERLESS_(trammel_returned, TRAMMEL_RETURNED)
TRAMMEL_NUMBERLESS_(trammel_caller, TRAMMEL_CALLER)
TRAMMEL_NUMBERLESS_(trammel_pc, TRAMMEL_PC)
TRAMMEL_NUMBERLESS_(trammel_thread, TRAMMEL_THREAD)
TRAMMEL_NUMBERLESS_(trammel_time, TRAMMEL_TIME)
TRAMMEL_NUMBERLESS_(trammel_bank, TRAMMEL_BANK)
TRAMMEL_NUMBERLESS_(trammel_status, TRAMMEL_STATUS)
TRAMMEL_NUMBERLESS_(trammel_module_path, TRAMMEL_MODULE_PATH)
TRAMMEL_NUMBERLESS_(trammel_module_bias, TRAMMEL_MODULE_BIAS)
TRAMMEL_NUMBERLESS_(trammel_context, TRAMMEL_CONTEXT)

/* The double, or float, whose bits a routine got by TRAMMEL_VECTOR_LOW. */
static inline double trammel_as_double(uint64_t bits)
{
	double number;

	__builtin_memcpy(&number, &bits, sizeof(number));
	return number;
}

static inline float trammel_as_float(uint64_t bits)
{
	float number;

	__builtin_memcpy(&number, &bits, sizeof(number));
	return number;
}

enum trammel_operation {
	TRAMMEL_MOVE,
	TRAMMEL_PLUS,
	TRAMMEL_MINUS,
	TRAMMEL_AND,
	TRAMMEL_OR,
	TRAMMEL_XOR,
	TRAMMEL_TIMES
};

/* Conditions, with the processor's numbers. */
enum trammel_condition {
	TRAMMEL_BELOW = 2, /* unsigned */
	TRAMMEL_AT_LEAST = 3,
	TRAMMEL_EQUAL = 4,
	TRAMMEL_NOT_EQUAL = 5,
	TRAMMEL_AT_MOST = 6,
	TRAMMEL_ABOVE = 7,
	TRAMMEL_LESS = 12, /* signed */
	TRAMMEL_NOT_LESS = 13,
	TRAMMEL_NOT_GREATER = 14,
	TRAMMEL_GREATER = 15
};

struct trammel_recipe; /* the code that is being written */
struct trammel_counter;
struct trammel_buffer;

/*
 * Writes code for a point. Registers are taken, used and given back: which they are, and
 * what the program had in them and in the flags, is no concern of the tool's. All numbers
 * have 64 bits. A bucket of a histogram of the sizes of stores, say:
 *
 *     static void emit(const struct trammel_recipes *r, struct trammel_recipe *code,
 *                      const void *data)
 *     {
 *             int size = r->take(code);
 *             r->value(code, size, trammel_size(0));
 *             r->count_word_at(code, *(const uint32_t *)data, size, 64, 1);
 *             r->give_back(code, size);
 *     }
 */
struct trammel_recipes {
	uint32_t version, size; /* as of struct trammel_api */

	/* A register, with anything in it; -1: there is no further one, and the point is
	 * left out. */
	int (*take)(struct trammel_recipe *recipe);
	void (*give_back)(struct trammel_recipe *recipe, int number);
	/* Loads a value into a register that was taken. */
	void (*value)(struct trammel_recipe *recipe, int number,
		      struct trammel_argument value);
	/* to = to operation from. */
	void (*compute)(struct trammel_recipe *recipe, enum trammel_operation operation,
			int to, int from);
	void (*compute_constant)(struct trammel_recipe *recipe,
				 enum trammel_operation operation, int to,
				 int64_t constant);
	/* Shifts to the left, or by -bits to the right (unsigned). */
	void (*shift)(struct trammel_recipe *recipe, int number, int bits);
	/* to = how many bits `from` has without leading zeros. */
	void (*log2)(struct trammel_recipe *recipe, int to, int from);
	/* to = 1 if the comparison is true, else 0. */
	void (*compare)(struct trammel_recipe *recipe, int to, int left,
			enum trammel_condition condition, int right);
	/* Labels: branches lead forwards only. Registers that are taken in front of a
	 * branch are still taken at its label. */
	int (*label)(struct trammel_recipe *recipe);
	void (*place)(struct trammel_recipe *recipe, int label);
	void (*skip_if)(struct trammel_recipe *recipe, int left,
			enum trammel_condition condition, int right, int label);
	void (*skip_if_constant)(struct trammel_recipe *recipe, int left,
				 enum trammel_condition condition, int32_t right,
				 int label);
	/* Loads 1, 2, 4 or 8 bytes of the program's memory, zero-extended; a bad address
	 * leads to `error`, never to a fault. */
	void (*load)(struct trammel_recipe *recipe, int to, int base,
		     int32_t displacement, uint32_t size, int error);
	/* Stores into, and loads from, memory of the tool's own, in the program. */
	void (*store_own)(struct trammel_recipe *recipe, int base, int32_t displacement,
			  int from, uint32_t size);
	void (*load_own)(struct trammel_recipe *recipe, int to, int base,
			 int32_t displacement);
	/* Words of the thread: see trammel_api.words. */
	void (*load_word)(struct trammel_recipe *recipe, int to, uint32_t word);
	void (*store_word)(struct trammel_recipe *recipe, uint32_t word, int from);
	void (*count_word)(struct trammel_recipe *recipe, uint32_t word, int32_t amount);
	/* Of `count` words that with number `index`; the last one if there are fewer. */
	void (*count_word_at)(struct trammel_recipe *recipe, uint32_t word, int index,
			      uint32_t count, int32_t amount);
	void (*word_address)(struct trammel_recipe *recipe, int to, uint32_t word);
	/* A counter of trammel_api.counter: adds a constant, or a register. */
	void (*count)(struct trammel_recipe *recipe,
		      const struct trammel_counter *counter, int32_t amount);
	void (*add)(struct trammel_recipe *recipe, const struct trammel_counter *counter,
		    int number);
	/* Calls a routine that has a prototype; registers that were taken are passed by
	 * trammel_value_of(TRAMMEL_TAKEN_REGISTER, number). */
	void (*call)(struct trammel_recipe *recipe, const char *routine,
		     const struct trammel_argument *arguments, size_t count);
	/* Writes a record to a buffer of trammel_api.buffer; registers that were taken
	 * as for `call`. */
	void (*trace)(struct trammel_recipe *recipe, struct trammel_buffer *buffer,
		      const struct trammel_argument *values, size_t count);
};

/* Writes the code of a point. */
typedef void trammel_emit(const struct trammel_recipes *recipes,
			  struct trammel_recipe *recipe, const void *data);

#ifdef __cplusplus
}
#endif

#endif
