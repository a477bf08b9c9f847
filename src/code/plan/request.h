/*
 * What is asked of the plan of a module: what is measured, and with which hooks.
 */
#ifndef TRAMMEL_CODE_PLAN_REQUEST_H
#define TRAMMEL_CODE_PLAN_REQUEST_H

#include "code/plan/plan.h"

/* What gates know of the tree that the resident keeps where call graphs are measured
 * (struct wire_graph). */
struct plan_graph_layout {
	uint32_t top;      /* of the distance of the innermost frame from the first */
	uint32_t frames;   /* of the first frame: place, and node */
	uint32_t nodes;    /* of the first node: function, parent, calls, ... */
	uint32_t left;     /* from a node on: less as many calls as are not timed next */
	uint32_t children; /* from a node on: PLAN_GRAPH_CHILDREN of its children */
	uint32_t depth;    /* frames end here */
	uint32_t near;     /* bytes: what is nearer is on the same stack */
	uint32_t leaf;     /* more in the name of a function whose returns are not seen */
};

/* What hook code needs to know: it steps over the red zone, pushes the hook's number and
 * calls through this word. */
struct plan_hook_layout {
	uint32_t entry; /* offset in the bank (relative to %gs) of the address to call */
	uint32_t arc;   /* the same of the address that gates call */
	uint32_t returns; /* the same of the address that signal returns jump to, with
			     their own address in rbx; 0: they are left alone */
	uint32_t enter, leave, tally;  /* as `arc`, where call graphs are measured: of
					  calls, returns, and calls without returns */
	uint32_t span_begin, span_end; /* of calls and returns of spans */
	struct plan_graph_layout graph;
};

/* How much of a function is measured. */
enum plan_depth {
	PLAN_ENTRIES, /* its entry */
	PLAN_CALLS,   /* and its calls, which are made in relocated code (copy_calls), and
			 with plan_request.graph and spans its returns */
	PLAN_BLOCKS,  /* each of its basic blocks */
	PLAN_EDGES,   /* and each way from one to another; needs PLAN_PROBE_COUNT */
};

struct plan_request {
	struct image *image; /* gets the functions that no table knows */
	enum plan_probe probe;
	enum plan_depth depth;
	bool calls; /* calls are counted by their sites; needs PLAN_PROBE_COUNT */
	bool graph; /* they are counted by their contexts, with their time; needs it, too
		     */
	bool spans; /* gates tell functions' names, and that their calls end; needs it,
		       too: see is_span */
	uint64_t code_address; /* where the trampolines will lie, link-time; see
				  plan.code_address */
	/* Whether a function is wanted: name is demangled where it was mangled, or
	 * "sub_<offset>"; address is link-time. NULL: all are. */
	bool (*wanted)(void *context, const char *name, uint64_t address);
	/* With `spans`: the same, of calls of which functions gates tell, while others
	 * count, too. NULL: of all that are wanted, and nothing is counted. */
	bool (*is_span)(void *context, const char *name, uint64_t address);
	void *context;
	/* The hook number of a function by its linked name, or "sub_<offset>"; 0: none.
	 * NULL: no hooks. Hooked functions are instrumented even if not wanted, then
	 * without a probe. */
	uint8_t (*hook_of)(void *context, const char *name, uint64_t address);
	struct plan_hook_layout hook_layout;
	/* Calls are made in relocated code (PLAN_BLOCKS). Functions that look at return
	 * addresses get one of these hooks, which must put them right. */
	bool copy_calls;
	uint8_t hook_own, hook_stack;
	/* The same of functions that use what lies at their return addresses, where
	 * functions are relocated whole: see code/builder/beyond.h. 0: they get none. */
	uint8_t hook_beyond;
	/* Functions that may set the GS base get one of these hooks: if they are called
	 * at all, if an argument is ARCH_SET_GS, if another one is SYS_arch_prctl
	 * besides. 0: they get none. */
	uint8_t hook_gs, hook_gs_code, hook_gs_call;
	/* What earlier runs executed; NULL: nothing is known. */
	const struct frequencies *frequencies;
	uint32_t batch; /* bytes of text that a thread writes at a time: see
			   code/planner/batches.h. 0: what is good */
	/* Not 0: functions are planned when they are called first, as far as that can be,
	 * with this hook: see code/planner/lazy.h. */
	uint8_t hook_lazy;
	/* The plan is put into a program that runs, and taken out of it again, while
	 * calls are under way (not with copy_calls): what these hold of the original must
	 * stay good, and nothing of the relocated code may be left with them. */
	bool live;
	/* Of flags: counting begins or ends while the program runs. */
	bool in_parts;
};

/* Whether functions have gates at all. */
static inline bool gates_wanted(const struct plan_request *request)
{
	return request->calls || request->graph || request->spans;
}

#endif
