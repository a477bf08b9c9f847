/*
 * Tools: measurements of one's own on any binary. A tool is a shared object of one C or
 * C++ file. Its instrumentation part runs beside the program: it walks the program's code
 * and says where which analysis routines are called, with what. The routines run in the
 * program, with a C library of their own. No symbol of trammel's is needed to link it:
 *
 *     #include <trammel/tool.h>
 *     #include <stdio.h>
 *
 *     static unsigned long blocks;           // in the program
 *     TRAMMEL_ROUTINE void count(long instructions) { blocks += instructions; }
 *     TRAMMEL_ROUTINE void print(void) { fprintf(stderr, "%lu\n", blocks); }
 *
 *     static int start(const struct trammel_api *t, int argc, const char *const *argv)
 *     {
 *             t->prototype("count(long)");
 *             t->prototype("print()");
 *             trammel_add_call(t, trammel_program_end(), "print");
 *             return 0;
 *     }
 *     static void function(const struct trammel_api *t, const struct trammel_function *f)
 *     {
 *             const struct trammel_code *code = t->code(f);
 *             for (uint32_t i = 0; code && i < code->block_count; i++)
 *                     trammel_add_call(t, trammel_block_begin(&code->blocks[i]), "count",
 *                                      trammel_int(code->blocks[i].instruction_count));
 *     }
 *     TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "count", "executed instructions",
 *                     start, NULL, function, NULL};
 *
 * Build it by `trammel tool build count.c`, or cc -O2 -fPIC -shared -o count.so count.c;
 * run it by `trammel run --tool ./count.so -- PROGRAM`. man/trammel-tool.1.md tells more,
 * docs/atom.md what the calls of ATOM are here.
 */
#ifndef TRAMMEL_TOOL_H
#define TRAMMEL_TOOL_H

#include <trammel/tool_buffer.h>
#include <trammel/tool_code.h>
#include <trammel/tool_recipe.h>
#include <trammel/tool_record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers: a tool of another one is refused. */
enum { TRAMMEL_TOOL_VERSION = 1 };

/* Where code is added. Made by the functions below. */
enum trammel_where {
	TRAMMEL_BEFORE, /* an instruction */
	TRAMMEL_AFTER,  /* each time control goes on to the next one; behind a call
			   when that has returned */
	TRAMMEL_ON_EDGE,
	TRAMMEL_AT_ENTRY,  /* of a function: each call of it */
	TRAMMEL_AT_EXIT,   /* in front of each of its returns, and of jumps to others */
	TRAMMEL_AT_START,  /* of the program: before its first instruction */
	TRAMMEL_AT_END,    /* however it ends, but by SIGKILL */
	TRAMMEL_AT_THREAD, /* a thread begins: before its first instruction */
	TRAMMEL_AT_THREAD_END,
	TRAMMEL_AT_FORK,  /* in a process that was forked, before it runs on: it has a
			     copy of all that the tool knew */
	TRAMMEL_AT_LOAD,  /* a file with code is mapped: before its code runs */
	TRAMMEL_AT_UNLOAD /* it is unmapped: by dlclose(3), say */
};

struct trammel_point {
	enum trammel_where where;
	const void *what; /* instruction, edge or function */
};

#define TRAMMEL_POINT_(name, place, type)                                                \
	static inline struct trammel_point name(const struct type *what)                 \
	{                                                                                \
		struct trammel_point point = {place, what};                              \
		return point;                                                            \
	}
TRAMMEL_POINT_(trammel_before, TRAMMEL_BEFORE, trammel_instruction)
TRAMMEL_POINT_(trammel_after, TRAMMEL_AFTER, trammel_instruction)
TRAMMEL_POINT_(trammel_on_edge, TRAMMEL_ON_EDGE, trammel_edge)
TRAMMEL_POINT_(trammel_entry, TRAMMEL_AT_ENTRY, trammel_function)
TRAMMEL_POINT_(trammel_exit, TRAMMEL_AT_EXIT, trammel_function)

/* In front of the first instruction of a block, and behind its last one: in front of
 * that, if it branches. */
static inline struct trammel_point trammel_block_begin(const struct trammel_block *block)
{
	return trammel_before(&block->instructions[0]);
}

static inline struct trammel_point trammel_block_end(const struct trammel_block *block)
{
	const struct trammel_instruction *last =
		&block->instructions[block->instruction_count - 1];

	return last->kind == TRAMMEL_PLAIN ? trammel_after(last) : trammel_before(last);
}

#define TRAMMEL_MOMENT_(name, place)                                                     \
	static inline struct trammel_point name(void)                                    \
	{                                                                                \
		struct trammel_point point = {place, NULL};                              \
		return point;                                                            \
	}
TRAMMEL_MOMENT_(trammel_program_start, TRAMMEL_AT_START)
TRAMMEL_MOMENT_(trammel_program_end, TRAMMEL_AT_END)
TRAMMEL_MOMENT_(trammel_thread_start, TRAMMEL_AT_THREAD)
TRAMMEL_MOMENT_(trammel_thread_end, TRAMMEL_AT_THREAD_END)
TRAMMEL_MOMENT_(trammel_fork, TRAMMEL_AT_FORK)
TRAMMEL_MOMENT_(trammel_module_load, TRAMMEL_AT_LOAD)
TRAMMEL_MOMENT_(trammel_module_unload, TRAMMEL_AT_UNLOAD)

/* A counter of the tool's own, of the whole run: made by api->counter. */
struct trammel_counter;

/* A buffer of each thread: see <trammel/tool_buffer.h>. */
struct trammel_buffer;

/* What the instrumentation part can ask for. Functions that add something return false
 * where it is wrong; the reason is told when the tool has returned, and ends the run. */
struct trammel_api {
	uint32_t version; /* TRAMMEL_TOOL_VERSION of trammel itself */
	uint32_t size;    /* bytes of this table */

	/* Functions of a module by number, by name (the linked one), by an address in
	 * them; NULL: there is none. */
	const struct trammel_function *(*function)(const struct trammel_module *module,
						   uint32_t number);
	const struct trammel_function *(*find_function)(
		const struct trammel_module *module, const char *name);
	const struct trammel_function *(*function_at)(const struct trammel_module *module,
						      uint64_t address);
	/* The code of a function; NULL: it was not understood, and can have no points. */
	const struct trammel_code *(*code)(const struct trammel_function *function);
	/* Why a function has no code; NULL: it has. */
	const char *(*trouble)(const struct trammel_function *function);
	/* The function that is called, or jumped to at the end of this one: in the same
	 * module, and by its linked name also in others; NULL: not known. */
	const struct trammel_function *(*callee)(
		const struct trammel_instruction *instruction);
	const char *(*callee_name)(const struct trammel_instruction *instruction);
	/* Line of the source, by debug information; false: not known. */
	bool (*place)(const struct trammel_module *module, uint64_t address,
		      struct trammel_place *ret_place);
	/* Bytes that the file has for an address; NULL if not all are in it. */
	const uint8_t *(*bytes)(const struct trammel_module *module, uint64_t address,
				size_t size);
	/* An instruction as assembly (AT&T), cut to `size` bytes; returns its length. */
	size_t (*text)(const struct trammel_instruction *instruction, char *buffer,
		       size_t size);
	/* The name without decoration (C++, Rust, D): stays. */
	const char *(*demangle)(const char *name);
	const char *(*register_name)(unsigned int number);
	const char *(*class_name)(unsigned int op_class);

	/* Says which parameters a routine has: "branch(long id, int taken)"; at most six.
	 * Types are int, long, and others of their sizes (unsigned, bool, size_t,
	 * uint32_t, ...), `const char *`, and other pointers. A routine is called by its
	 * prototype only. */
	bool (*prototype)(const char *prototype);
	/* Adds a call: use trammel_add_call. Calls at one point run in the order added.
	 */
	bool (*add_call)(struct trammel_point point, const char *routine,
			 const struct trammel_argument *arguments, size_t count);
	/* A counter; the same one for the same name. */
	struct trammel_counter *(*counter)(const char *name);
	/* Adds to a counter, inline: a constant; or any value. */
	bool (*add_count)(struct trammel_point point, struct trammel_counter *counter,
			  int32_t amount);
	bool (*add_sum)(struct trammel_point point, struct trammel_counter *counter,
			struct trammel_argument value);
	/* Adds code of the tool's own, inline: `emit` writes it by the functions of
	 * trammel_recipes. It may be called several times, from any thread: the same
	 * data must give the same code. `data` must stay. */
	bool (*add_code)(struct trammel_point point, trammel_emit *emit,
			 const void *data);
	/* Space for words of each thread that add_code uses, 0 at first: returns the
	 * number of the first of them; see trammel_recipes.load_word. */
	uint32_t (*words)(uint32_t count);

	/* A kind of points of the tool's own, for `trammel label --pass`: the routine
	 * _record_NAME is called with the dynamic arguments (names as in labels files:
	 * "taken", "address", "arg0", ..., separated by commas), the id, and the points'
	 * static ones. Returns its number, above those of all other kinds. */
	uint32_t (*kind)(const char *name, const char *dynamic);
	/* Adds a label of a kind (enum trammel_kind, or one's own); its id is given by
	 * trammel label, in the order added. Strings and integers alone are static
	 * arguments. Returns the id. */
	uint64_t (*add_label)(struct trammel_point point, uint32_t kind,
			      const struct trammel_argument *arguments, size_t count);

	/* Ends the run with a message (as of printf, without a newline). */
	void (*fail)(const char *format, ...) __attribute__((format(printf, 1, 2)));

	/* A number for code at an address of a module, to be handed to a routine and from
	 * there to trammel_key_code(). */
	uint64_t (*code_number)(const struct trammel_module *module, uint64_t address);
	/* The buffer that TRAMMEL_BUFFER defines by this name; in start(). All tools of a
	 * run have at most eight. */
	struct trammel_buffer *(*buffer)(const char *name);
	/* Adds a record of `count` values, a word each, inline: use trammel_add_trace.
	 */
	bool (*add_trace)(struct trammel_point point, struct trammel_buffer *buffer,
			  const struct trammel_argument *values, size_t count);
	/* Has a routine make the calls of a function, or not: use trammel_replace. It is
	 * bool ROUTINE(uint64_t *result, ...) with up to five values as at the entry.
	 * True: the function returns *result, in rax, without having run. False, or if it
	 * cannot be called: the function runs as always. */
	bool (*replace)(const struct trammel_function *function, const char *routine,
			const struct trammel_argument *arguments, size_t count);
	/* Has the run record the program's own regions, for trammel_region(); in
	 * start(). */
	bool (*regions)(void);
	/* Whether the run keeps apart what is found in each region (--by-region). The
	 * counters of a tool are then; records of what happened in several regions should
	 * have trammel_key_region() among their keys. */
	bool (*by_region)(void);
};

/* What a tool is: one object by this name. Functions may be NULL. */
struct trammel_tool {
	uint32_t version; /* TRAMMEL_TOOL_VERSION */
	uint32_t size;    /* bytes of this struct */
	const char *name, *about;
	/* Before anything else, with the tool's words: argv[0] is its name. Not 0: the
	 * run ends. */
	int (*start)(const struct trammel_api *api, int argc, const char *const *argv);
	/* Once for each module, before its functions; points of the module itself. */
	void (*module)(const struct trammel_api *api,
		       const struct trammel_module *module);
	/* Once for each function that may run, before it runs: adds the points of this
	 * one. Cold parts are functions of their own. One thread at a time. */
	void (*function)(const struct trammel_api *api,
			 const struct trammel_function *function);
	/* For `trammel label --pass`: adds labels. */
	void (*label)(const struct trammel_api *api, const struct trammel_module *module);
};

#define TRAMMEL_TOOL_HEAD TRAMMEL_TOOL_VERSION, (uint32_t)sizeof(struct trammel_tool)

/* In front of the definition of the tool's table, and of each analysis routine. */
#ifdef __cplusplus
#define TRAMMEL_EXTERN_ extern "C"
#else
#define TRAMMEL_EXTERN_
#endif
extern const struct trammel_tool trammel_tool __attribute__((visibility("default")));
#define TRAMMEL_TOOL    const struct trammel_tool trammel_tool
#define TRAMMEL_ROUTINE TRAMMEL_EXTERN_ __attribute__((visibility("default"), used))

#ifdef __cplusplus
}
#endif

/* trammel_add_call(api, point, "routine", argument, ...),
 * trammel_replace(api, function, "routine", argument, ...),
 * trammel_add_trace(api, point, buffer, value, ...) */
#ifdef __cplusplus
template <typename... Values>
bool trammel_add_trace(const struct trammel_api *api, struct trammel_point point,
		       struct trammel_buffer *buffer, Values... values)
{
	const struct trammel_argument list[] = {values...};

	return api->add_trace(point, buffer, list, sizeof...(values));
}

template <typename... Arguments>
bool trammel_add_call(const struct trammel_api *api, struct trammel_point point,
		      const char *routine, Arguments... arguments)
{
	const struct trammel_argument list[] = {arguments..., trammel_int(0)};

	return api->add_call(point, routine, list, sizeof...(arguments));
}

template <typename... Arguments>
bool trammel_replace(const struct trammel_api *api,
		     const struct trammel_function *function, const char *routine,
		     Arguments... arguments)
{
	const struct trammel_argument list[] = {arguments..., trammel_int(0)};

	return api->replace(function, routine, list, sizeof...(arguments));
}
#else
#define TRAMMEL_LIST_(...)                                                               \
	(const struct trammel_argument[]){__VA_ARGS__},                                  \
		sizeof((const struct trammel_argument[]){__VA_ARGS__}) /                 \
			sizeof(struct trammel_argument)
#define TRAMMEL_CALL_0_(call, what, routine) (call((what), (routine), NULL, 0))
#define TRAMMEL_CALL_N_(call, what, routine, ...)                                        \
	(call((what), (routine), TRAMMEL_LIST_(__VA_ARGS__)))
#define TRAMMEL_PICK_(a, b, c, d, e, f, g, picked, ...) picked
#define TRAMMEL_CALL_(call, what, ...)                                                   \
	TRAMMEL_PICK_(__VA_ARGS__, TRAMMEL_CALL_N_, TRAMMEL_CALL_N_, TRAMMEL_CALL_N_,    \
		      TRAMMEL_CALL_N_, TRAMMEL_CALL_N_, TRAMMEL_CALL_N_,                 \
		      TRAMMEL_CALL_0_, 0)                                                \
	(call, what, __VA_ARGS__)
#define trammel_add_call(api, point, ...)                                                \
	TRAMMEL_CALL_((api)->add_call, point, __VA_ARGS__)
#define trammel_replace(api, function, ...)                                              \
	TRAMMEL_CALL_((api)->replace, function, __VA_ARGS__)
#define trammel_add_trace(api, point, buffer, ...)                                       \
	((api)->add_trace((point), (buffer), TRAMMEL_LIST_(__VA_ARGS__)))
#endif

#endif
