/* Address spaces. */
#ifndef TRAMMEL_SESSION_STATE_SPACE_H
#define TRAMMEL_SESSION_STATE_SPACE_H

#include "base/vector.h"
#include "session/state/module.h"
#include "session/state/tool_state.h"
#include "session/state/values_state.h"

#include <stdbool.h>
#include <stdint.h>

struct session;
struct thread;
struct maps;
struct wire_batch;

/* Bits for parts of files, by the files' indices in session.files; NULL: none. */
struct file_bits VECTOR(uint64_t *);

/* Function of a file's plan. */
struct fired_function {
	uint32_t file;             /* index in session.files */
	uint32_t function;         /* in its plan */
	uint32_t slot, slot_count; /* of its flags */
	uint32_t ran; /* number of looks at which it had run, up to FIRED_RAN_MAX */
};
#define FIRED_RAN_MAX 63
struct fired_functions VECTOR(struct fired_function);

/* Addresses of probes, sorted. */
struct space_probes VECTOR(uint64_t);

/* A probe in relocated code that became a jump to a block of the original code, and its
 * bytes. */
struct space_return_jump {
	uint64_t address;
	uint8_t probe[9];
};

/* An unpatched function. */
struct space_unpatched {
	uint64_t code_address; /* of its module */
	uint32_t function;     /* index in its plan */
	uint64_t *open;  /* blocks of it that run unpatched; NULL: see unpatch_close */
	uint64_t early;  /* the order of its pages: see unpatch_turn_of */
	uint8_t *closed; /* its text by unpatch_close, once a process forked; or NULL */
};
struct space_unpatched_list VECTOR(struct space_unpatched);

/* Flags that are set in a space, and the state of their probes: see
 * session/adapt/fired.h and session/modules/unpatched.h. */
struct space_fired {
	struct file_bits seen;          /* by slot: the flag is set */
	struct file_bits waits;         /* by function: it is waiting */
	struct fired_functions waiting; /* functions with flags not seen before */
	bool afresh;                    /* `seen` is cleared: see arena_mark_flags */
	struct fired_functions hot;     /* functions that wait no more */
	struct space_probes probes;     /* probes that do nothing any more */
	struct space_unpatched_list unpatched;                /* sorted */
	struct VECTOR(struct space_return_jump) return_jumps; /* sorted by address */
	uint64_t copied; /* unpatched functions that forks copied, and gave back */
};

/* Room for the trampolines of a module that is being planned. */
struct space_promise {
	uint64_t text; /* address of the mapping */
	uint64_t start, end;
};

/* Address space. vfork and clone(CLONE_VM) make processes that share one. */
struct space {
	unsigned int references;
	struct family *family;
	int memory_fd;  /* /proc/PID/mem, opened when the space was new */
	bool unplanned; /* while starting: files of modules are being planned */
	bool starting;  /* before the program's own code: ld.so loads it */
	bool traced;    /* while starting: system calls are traced, since ld.so does
			   not report when it has loaded everything; see loading.h */
	bool loaded;    /* ld.so has reported that */
	unsigned int link_map_calls; /* while starting: announcements of ld.so so far */
	uint64_t filters;   /* system call filters that the image started under */
	bool bare;          /* followed, but not measured: only hooks are there */
	bool copies_calls;  /* calls are made in relocated code: see return_addresses.c */
	bool own_calls;     /* it may make system calls by instructions of its own: it is
			       static, or Go's */
	bool leak_checked;  /* has LeakSanitizer: see WIRE_HOOK_EXIT */
	unsigned int halts; /* attached: tries to stop all threads that failed */
	bool holding;       /* attached: texts are the original ones now */
	bool out;           /* attached: no thread is in trammel's code any more */
	bool cleared;       /* attached: nothing of trammel's is mapped any more */
	bool abandoned;     /* attached: everything mapped stays, and the banks in use */
	bool left;          /* a process that is not followed may have it mapped */
	struct VECTOR(struct module) modules;
	struct VECTOR(struct space_promise) promises; /* see code_addresses_reserve */
	struct VECTOR(struct gone_module) gone;       /* modules whose calls may be in the
							 banks */
	struct space_fired fired;
	struct generated_code generated;
	struct tool_space *tools;                   /* NULL: none */
	struct VECTOR(struct arena_chunk *) chunks; /* mapped here; the last with
						       banks has the widest */
	/* Chunks of views of threads of the processes that this one was forked from,
	 * which are mapped here, too, but nobody uses. */
	struct VECTOR(struct arena_chunk *) inherited;
};

static inline bool space_is_traced(const struct space *space)
{
	return space->starting && space->traced;
}

/* Owns `memory_fd`; `family` may come later. */
struct space *space_create(struct family *family, int memory_fd);

struct space *space_fork(const struct space *space, int memory_fd);

/* Returns the chunk with the widest banks: the last one that has no views. */
const struct arena_chunk *space_widest(const struct space *space);

/* Forgets modules that are not mapped in a space that was just forked. */
void space_drop_unmapped(struct space *space, const struct maps *maps);

void space_release(struct session *session, struct space *space);

/* Returns whether functions of the family's modules are planned when they are called. */
bool family_has_latches(const struct family *family);

/* Drops a reference to the family's arena; with the last one both go. */
void family_release(struct session *session, struct family *family);

#endif
