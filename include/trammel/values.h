/*
 * Value profilers of one's own, for `trammel run -m values --values-plugin FILE`: a
 * shared object of one C or C++ file, which says of which instructions it wants which
 * values, and what becomes of them. It runs in trammel, not in the program. No symbol of
 * trammel's is needed to link it:
 *
 *     #include <trammel/values.h>
 *
 *     static uint32_t choose(const struct trammel_values_code *code)
 *     {
 *             return code->memory_count ? TRAMMEL_VALUES_LOADS : 0;
 *     }
 *     static void fold(const struct trammel_values_code *code,
 *                      const struct trammel_values_value *values, size_t count,
 *                      const struct trammel_values_out *out)
 *     {
 *             for (size_t i = 0; i < count; i++)
 *                     out->add(out->context, "bits",
 * __builtin_popcountll(values[i].value));
 *     }
 *     TRAMMEL_VALUE_PROFILER = {TRAMMEL_VALUES_HEAD, "bits", choose, fold};
 *
 * Build it by cc -O2 -fPIC -shared -o bits.so bits.c. Its tables are kept, merged and
 * shown as those of trammel's own values: `trammel values` has rows with the profiler's
 * name as their kind. Profilers of all executions are tools: <trammel/tool.h>.
 */
#ifndef TRAMMEL_VALUES_H
#define TRAMMEL_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TRAMMEL_VALUES_VERSION = 1 };

/* What a value is. */
enum trammel_values_kind {
	TRAMMEL_VALUES_RESULT, /* of register `number`, as in <trammel/tool_code.h> */
	TRAMMEL_VALUES_LOAD,   /* of memory operand `number` */
	TRAMMEL_VALUES_STORE,
	TRAMMEL_VALUES_ADDRESS, /* of memory operand `number` */
	TRAMMEL_VALUES_TARGET,  /* address in the running program */
	TRAMMEL_VALUES_KINDS
};

/* Sets of them. */
#define TRAMMEL_VALUES_RESULTS   (1u << TRAMMEL_VALUES_RESULT)
#define TRAMMEL_VALUES_LOADS     (1u << TRAMMEL_VALUES_LOAD)
#define TRAMMEL_VALUES_STORES    (1u << TRAMMEL_VALUES_STORE)
#define TRAMMEL_VALUES_ADDRESSES (1u << TRAMMEL_VALUES_ADDRESS)
#define TRAMMEL_VALUES_TARGETS   (1u << TRAMMEL_VALUES_TARGET)

/* An instruction that was executed. */
struct trammel_values_code {
	const char *module;   /* path of its file */
	uint64_t address;     /* link-time */
	const uint8_t *bytes; /* as the program has it: relocated code, too */
	uint8_t length;
	uint8_t memory_count;     /* operands in memory that are told */
	uint32_t process, thread; /* as the kernel numbers them */
};

struct trammel_values_value {
	uint8_t kind; /* enum trammel_values_kind */
	uint8_t number;
	bool has_last; /* the execution before was seen, and had: */
	uint64_t value, last;
};

/* Where a profiler's values go. */
struct trammel_values_out {
	void *context;
	/* Counts a value in the table `what` (at most 31 bytes) of the instruction. */
	void (*add)(void *context, const char *what, int64_t value);
};

struct trammel_value_profiler {
	uint32_t version; /* TRAMMEL_VALUES_VERSION */
	uint32_t size;    /* bytes of this struct */
	const char *name; /* at most 31 bytes */
	/* Returns the set of values that are wanted of an instruction; 0: none. */
	uint32_t (*choose)(const struct trammel_values_code *code);
	/* Takes those of one execution of it. */
	void (*fold)(const struct trammel_values_code *code,
		     const struct trammel_values_value *values, size_t count,
		     const struct trammel_values_out *out);
};

#define TRAMMEL_VALUES_HEAD                                                              \
	TRAMMEL_VALUES_VERSION, (uint32_t)sizeof(struct trammel_value_profiler)

extern const struct trammel_value_profiler trammel_value_profiler
	__attribute__((visibility("default")));
#define TRAMMEL_VALUE_PROFILER const struct trammel_value_profiler trammel_value_profiler

#ifdef __cplusplus
}
#endif

#endif
