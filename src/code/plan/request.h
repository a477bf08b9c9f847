/*
 * Parameters of planning a module: the measurement and its hooks.
 */
#ifndef TRAMMEL_CODE_PLAN_REQUEST_H
#define TRAMMEL_CODE_PLAN_REQUEST_H

#include "code/plan/plan.h"

struct point_sources;

/* Offsets in the tree that the resident keeps for call graphs (struct wire_graph), for
 * gates. */
struct plan_graph_layout {
	uint32_t top;      /* of the offset of the innermost frame */
	uint32_t frames;   /* of the first frame: stack position, and node */
	uint32_t nodes;    /* of the first node: function, parent, calls, ... */
	uint32_t left;     /* from a node on: minus the number of calls that are not timed
			      next */
	uint32_t children; /* from a node on: its first PLAN_GRAPH_CHILDREN children */
	uint32_t depth;    /* end of the frames */
	uint32_t near;     /* bytes: frames nearer than this are on the same stack */
	uint32_t leaf; /* added to the name of a function whose returns are not seen */
};

/* Offsets in the bank of what recipes use. */
struct plan_point_layout {
	uint32_t self;    /* address of the bank, 8 bytes */
	uint32_t thread;  /* number of the thread, 4 bytes */
	uint32_t untimed; /* not 0: the time-stamp counter may not be read, 4 bytes */
	uint32_t control; /* address of a word of 4 bytes of which `dead` is set once the
			     tracer is dead, 8 bytes */
	uint32_t dead;
	uint32_t data;    /* distance from that word to the address of the data of points,
			     8 bytes */
	uint32_t call;    /* address of what calls routines: see recipe_call */
	uint32_t masked;  /* not 0: signals are put off, 4 bytes */
	uint32_t unmask;  /* address of what delivers them */
	uint32_t buffers; /* words of threads' buffers: see recipe_buffer.h */
	uint32_t copies;  /* of vector registers */
	uint32_t routines; /* addresses of routines for such calls, 8 bytes each */
	/* Of functions that are replaced: address of what their entries call, 8 bytes;
	 * the result, 8 bytes; whether there is one, 1 byte. */
	uint32_t replace, result, done;
	/* Address of the thread's own context, 8 bytes; in that, its number and the
	 * address of its region; in that, its number. */
	uint32_t context, context_thread, context_node, context_number;
	bool views; /* counters of a thread lie in several places, words of it only in
		       its bank */
};

/* Offsets in the bank of words for probes of paths: code/emit/path_probe.h. */
struct plan_path_layout {
	/* Addresses of the resident's routines: the one frees a function's words, the
	 * other finds those of a frame. */
	uint32_t put_by, find;
};

/* Parameters of hook code: it steps over the red zone, pushes the hook's number and calls
 * through a word of the bank. */
struct plan_hook_layout {
	uint32_t entry; /* offset in the bank (relative to %gs) of the address that hooks
			   call */
	uint32_t arc;   /* offset of the address that gates call */
	uint32_t returns; /* offset of the address to which signal returns jump, with
			     their own address in rbx; 0: they are left alone */
	uint32_t enter, leave, tally;  /* offsets for call graphs: of calls, returns, and
					  calls without returns */
	uint32_t span_begin, span_end; /* offsets for spans: of beginnings and ends */
	struct plan_graph_layout graph;
	struct plan_point_layout points;
	struct plan_path_layout path;
};

/* Depth of measurement in a function. */
enum plan_depth {
	PLAN_ENTRIES, /* its entry */
	PLAN_CALLS,   /* and its calls, which are copied into relocated code (copy_calls),
			 and with plan_request.graph and spans its returns */
	PLAN_POINTS,  /* only code of others: see plan_request.points */
	PLAN_BLOCKS,  /* each of its basic blocks */
	PLAN_EDGES,   /* and each edge between them; needs PLAN_PROBE_COUNT */
};

struct plan_request {
	struct image *image; /* functions that no table lists are added to it */
	enum plan_probe probe;
	enum plan_depth depth;
	bool calls; /* calls are counted by call site; needs PLAN_PROBE_COUNT */
	bool graph; /* calls are counted by their contexts, with times; needs
		       PLAN_PROBE_COUNT */
	bool spans; /* gates report functions' names and the ends of calls; needs
		       PLAN_PROBE_COUNT: see is_span */
	bool exits; /* what leaves a function is a block of its own, so that its count is
		       exact where a call in front of it does not come back */
	bool paths; /* with PLAN_EDGES: paths are counted instead of edges, where that can
		       be: see code/planner/path_placement.h */
	uint64_t code_address; /* link-time address of the trampolines; see
				  plan.code_address */
	/* Whether to instrument a function: name is demangled if it was mangled, or
	 * "sub_<offset>"; address is link-time. NULL: all. */
	bool (*wanted)(void *context, const char *name, uint64_t address);
	/* With `spans`: whether calls of a function are spans, while other functions
	 * count, too. NULL: all wanted functions are spans, and nothing is counted. */
	bool (*is_span)(void *context, const char *name, uint64_t address);
	void *context;
	/* The hook number of a function by its linked name, or "sub_<offset>"; 0: none.
	 * NULL: no hooks. Hooked functions are instrumented even if not wanted, then
	 * without a probe. */
	uint8_t (*hook_of)(void *context, const char *name, uint64_t address);
	struct plan_hook_layout hook_layout;
	/* Calls are copied into relocated code (PLAN_BLOCKS). Functions that read return
	 * addresses get one of these hooks, which restores the original ones. */
	bool copy_calls;
	uint8_t hook_own, hook_stack;
	/* The hook of functions that use data or code at their return addresses, where
	 * functions are relocated whole: see code/builder/beyond.h. 0: none. */
	uint8_t hook_beyond;
	/* Hooks of functions that may set the GS base: on every call; if an argument is
	 * ARCH_SET_GS; if another is SYS_arch_prctl as well. 0: none. */
	uint8_t hook_gs, hook_gs_code, hook_gs_call;
	/* Frequencies of earlier runs; NULL: unknown. */
	const struct frequencies *frequencies;
	uint32_t batch; /* bytes of text that a thread writes at a time: see
			   code/planner/batches.h. 0: default */
	/* Not 0: functions are planned at their first call, where possible, with this
	 * hook: see code/planner/lazy.h. */
	uint8_t hook_lazy;
	/* The plan is applied to a running program and removed again while calls are
	 * active (not with copy_calls): original addresses that they hold must stay
	 * valid, and none of relocated code may be left with them. */
	bool live;
	/* Of flags: counting begins or ends while the program runs. */
	bool in_parts;
	/* Code of others at points of functions; needs PLAN_POINTS or more, and
	 * PLAN_PROBE_COUNT. NULL: none. `module` is the path that it is told. */
	const struct point_sources *points;
	const char *module;
};

/* Whether functions have gates. */
static inline bool gates_wanted(const struct plan_request *request)
{
	return request->calls || request->graph || request->spans;
}

#endif
