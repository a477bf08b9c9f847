#include "session/position/spans.h"

#include "code/plan/position.h"
#include "code/points/recipe_call.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/position/gate_position.h"
#include "session/position/point_undo.h"
#include "session/position/settle.h"
#include "session/state/module.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/spans.h"

#include <cpuid.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Components of a processor's state that code of C libraries may change: x87, SSE, AVX,
 * and three of AVX-512 (Intel SDM vol. 1, 13.1). */
#define STATE 0xe7u

/* Returns the components that this processor has; 0: xsave is not to be used. */
static uint32_t find_state(void)
{
	unsigned a, b, c, d, low, high;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low & STATE;
}

_Static_assert(WIRE_DIRECT_MAX == (int)RECIPE_DIRECT_MAX, "as many words as numbers");

static struct wire_spans *spans_of(const struct bank *bank)
{
	return (void *)((char *)bank->shared + WIRE_BANK_HEADER);
}

/* Has routines called directly, or, without options, none. */
static void set_routines(const struct bank *bank, const struct session_options *options,
			 const struct wire_control *control)
{
	const struct resident_table *table = resident_table();
	const uint64_t nothing = bank->shared->tool - table->tool_call + table->tool_last;
	uint64_t *words = spans_of(bank)->routines;

	for (unsigned i = 0; i < WIRE_DIRECT_MAX; i++)
		__atomic_store_n(&words[i], nothing, __ATOMIC_RELAXED);
	if (!options)
		return;
	vector_for_each (&options->tools, tool)
		vector_for_each (&tool->routines, routine)
			if (routine->direct && control->routines[routine->word])
				__atomic_store_n(&words[routine->direct - 1],
						 control->routines[routine->word],
						 __ATOMIC_RELAXED);
}

void spans_begin(const struct session *session, const struct bank *old, struct bank *bank,
		 const struct thread_calls *calls)
{
	(void)session;
	(void)calls;
	spans_of(bank)->busy = spans_of(bank)->masked = 0;
	spans_of(bank)->state = find_state();
	spans_of(bank)->thread_pointer = 0;
	spans_of(bank)->barred = WIRE_BARRED_TOOLS;
	set_routines(bank, NULL, NULL);
	spans_of(bank)->replace = bank->shared->tool + resident_table()->tool_replace -
				  resident_table()->tool_call;
	spans_of(bank)->done = 0;
	memset(spans_of(bank)->buffers, 0, sizeof(spans_of(bank)->buffers));
	if (!old)
		return;
	spans_of(bank)->thread_pointer = spans_of(old)->thread_pointer;
	spans_of(bank)->barred = spans_of(old)->barred;
	memcpy(spans_of(bank)->routines, spans_of(old)->routines,
	       sizeof(spans_of(bank)->routines));
	spans_of(bank)->masked = spans_of(old)->masked;
	spans_of(bank)->mask = spans_of(old)->mask;
	spans_of(bank)->done = spans_of(old)->done;
	spans_of(bank)->result = spans_of(old)->result;
	memcpy(spans_of(bank)->buffers, spans_of(old)->buffers,
	       sizeof(spans_of(bank)->buffers));
}

void spans_move_buffers(const struct session *session, const struct thread *thread)
{
	const uint64_t address = thread->bank->address + WIRE_SPANS_BUFFERS;

	for (unsigned i = 0; session->options->collector->routines && i < WIRE_BUFFERS;
	     i++) {
		const uint64_t owner = spans_of(thread->bank)->buffers[i].owner;
		const uint64_t place = address + i * WIRE_BUFFER_SIZE;

		if (owner)
			trm_error_destroy(remote_write(thread->process->space->memory_fd,
						       owner, &place, sizeof(place)));
	}
}

/* Returns what the thread's bank keeps of spans; NULL: the thread reports none. */
static struct wire_spans *spans_of_thread(const struct session *session,
					  const struct thread *thread)
{
	const struct collector *collector = session->options->collector;

	return (collector->spans || collector->routines) && thread->bank
		       ? spans_of(thread->bank)
		       : NULL;
}

static bool is_on_stack(const struct bank *bank, const struct user_regs_struct *registers)
{
	return registers->rsp > bank->address &&
	       registers->rsp <= bank->address + WIRE_SPANS_STACK_TOP;
}

/* Returns whether the thread reports a span on this bank, which may also be the one it
 * had before its bank became too narrow. */
static bool is_busy(const struct bank *bank, const struct arena *arena,
		    const struct user_regs_struct *registers)
{
	return spans_of(bank)->busy &&
	       (registers->rip - arena->address < WIRE_RESIDENT_SIZE ||
		is_on_stack(bank, registers));
}

/* Returns the bank on which the thread reports a span; NULL: it reports none. */
static const struct bank *busy_bank(const struct session *session,
				    const struct thread *thread,
				    const struct user_regs_struct *registers)
{
	const struct space *space = thread->process ? thread->process->space : NULL;

	if (!spans_of_thread(session, thread) || !space || !space->family)
		return NULL;
	vector_for_each (&thread->old_banks, bank)
		if (is_busy(*bank, space->family->arena, registers))
			return *bank;
	return is_busy(thread->bank, space->family->arena, registers) ? thread->bank
								      : NULL;
}

/* Returns whether the thread has counted a call by its call site and is still to
 * report it. */
static bool is_untold(const struct session *session, const struct thread *thread,
		      struct user_regs_struct registers)
{
	const struct space *space = thread->process ? thread->process->space : NULL;
	const struct module *module;

	if (!session->options->collector->calls || !spans_of_thread(session, thread) ||
	    !space || !space->family || !space->family->arena->control->span_begin ||
	    thread->bank->shared->untimed ||
	    (gate_position_holds(space, registers.rip) &&
	     !gate_position_find(thread, &registers)))
		return false;
	module = space_module_of_code(space, registers.rip);
	return module && module_locate(module, registers.rip).untold;
}

/* Returns whether the thread is about to call a routine of a tool, or in what calls it.
 */
static bool is_calling(const struct session *session, const struct thread *thread,
		       uint64_t rip)
{
	const struct resident_table *table = resident_table();
	const struct space *space = thread->process ? thread->process->space : NULL;
	const struct module *module;
	struct plan_position place;

	if (!session->options->collector->routines || !thread->bank || !space ||
	    !space->family)
		return false;
	if (rip - space->family->arena->address >= table->tool_call &&
	    rip - space->family->arena->address < table->tool_freed)
		return true;
	module = space_module_of_code(space, rip);
	if (!module)
		return false;
	place = module_locate(module, rip);
	return place.kind == PLAN_POSITION_POINT && place.routine;
}

/* Executes for a thread what is left of the end of tool_direct: pops, and a return. */
static bool leave_direct(const struct thread *thread, struct user_regs_struct *registers)
{
	unsigned long long *const popped[] = {&registers->r11, &registers->r10,
					      &registers->rax, &registers->rip};
	enum { COUNT = 4, SIZE = 2 }; /* bytes of the first two of these */
	const uint64_t offset =
		registers->rip - thread->process->space->family->arena->address;
	const uint64_t done = offset - resident_table()->tool_freed;
	uint64_t words[COUNT];

	if (offset < resident_table()->tool_freed ||
	    offset >= resident_table()->tool_directed)
		return false;
	const unsigned int first = (unsigned int)(done + SIZE - 1) / SIZE;
	const size_t size = (COUNT - first) * sizeof(words[0]);

	if (remote_failed(remote_read(thread->process->space->memory_fd, registers->rsp,
				      words, size)))
		return false;
	for (unsigned int i = first; i < COUNT; i++)
		*popped[i] = words[i - first];
	registers->rsp += size;
	return true;
}

bool spans_leave_routine(const struct thread *thread, struct user_regs_struct *registers)
{
	const uint64_t address = thread->process->space->family->arena->address;
	const uint64_t offset = registers->rip - address;
	const struct resident_table *table = resident_table();
	const struct wire_spans *spans = spans_of(thread->bank);
	uint64_t back;

	/* Where nothing was put off, or that was a timer's and is settled by now,
	 * tool_unmask does nothing. */
	if (leave_direct(thread, registers))
		return true;
	if (offset < table->tool_unmask || offset > table->tool_last ||
	    (offset < table->tool_unmasked && spans->masked == WIRE_MASKED_SPAN))
		return false;
	if (offset >= table->tool_unmasked && offset < table->tool_last) {
		registers->rcx = spans->r10;
		registers->rdx = spans->rbx;
		registers->rsi = spans->rsi;
		registers->rdi = spans->rdi;
	}
	if (remote_failed(remote_read(thread->process->space->memory_fd, registers->rsp,
				      &back, sizeof(back))))
		return false;
	registers->rip = back;
	registers->rsp += sizeof(back);
	leave_direct(thread, registers);
	return true;
}

/* What is on the stack below its top while a routine runs: resident/tool.S. */
struct routine_frame {
	uint64_t address, flags, rax, bank;
};

/* The return address in the code of the point that a routine was called from. */
static bool read_back(int memory_fd, uint64_t rsp, const struct routine_frame *frame,
		      uint64_t *ret_back)
{
	if (frame->rax & WIRE_TOOL_KEEPS)
		rsp += WIRE_TOOL_KEPT;
	return !remote_failed(remote_read(memory_fd, rsp, ret_back, sizeof(*ret_back)));
}

/* The value of wire_spans.busy with a mark: calls set it to 1. */
enum { BUSY = 1, BUSY_MARKED = 2 };

/* Where a routine that was called directly returns if a signal was put off. */
static uint64_t late_return(const struct thread *thread)
{
	return thread->process->space->family->arena->address +
	       resident_table()->tool_direct;
}

/* Returns whether a thread is in a routine that was called directly: it has nothing on
 * the stack, which is the program's. Writes the address in the point's code. */
static bool is_in_direct(const struct thread *thread,
			 const struct user_regs_struct *registers, uint64_t *ret_back)
{
	const struct space *space = thread->process ? thread->process->space : NULL;
	uint64_t back;

	if (!thread->bank || !space || !space->family ||
	    !tool_space_has(space->tools, registers->rip) ||
	    is_on_stack(thread->bank, registers) ||
	    remote_failed(
		    remote_read(space->memory_fd, registers->rsp, &back, sizeof(back))))
		return false;
	if (back == late_return(thread))
		back = spans_of(thread->bank)->direct;
	*ret_back = back;
	return space_module_of_code(space, back) != NULL;
}

/* Whether the call in front of an address is all that its point does. */
static bool is_unmade(const struct thread *thread, uint64_t back)
{
	const struct module *module = space_module_of_code(thread->process->space, back);

	return module && module_locate(module, back - 1).unmade;
}

/* The routine that holds an address, of those that points call. */
static uint64_t routine_around(const struct session *session,
			       const struct wire_control *control, uint64_t address)
{
	uint64_t found = 0;

	vector_for_each (&session->options->tools, tool)
		vector_for_each (&tool->routines, routine) {
			uint64_t start = control->routines[routine->word];

			if (start <= address && start > found)
				found = start;
		}
	return found;
}

bool spans_break_routine(const struct session *session, const struct thread *thread,
			 struct user_regs_struct *registers,
			 struct spans_routine *ret_routine)
{
	const struct bank *bank = busy_bank(session, thread, registers);
	const int memory_fd = thread->process->space->memory_fd;
	struct routine_frame frame;
	uint64_t at = 0;

	if (session->options->collector->routines &&
	    is_in_direct(thread, registers, &ret_routine->back)) {
		ret_routine->address = routine_around(
			session, thread->process->space->family->arena->control,
			registers->rip);
		/* As if the routine returned there, or to tool_direct. */
		trm_error_destroy(
			remote_read(memory_fd, registers->rsp, &at, sizeof(at)));
		registers->rsp += sizeof(at);
		registers->rip = at;
		registers->orig_rax = (unsigned long long)-1;
		return true;
	}
	if (!bank || !session->options->collector->routines ||
	    !is_on_stack(bank, registers))
		return false;
	at = bank->address + WIRE_SPANS_STACK_TOP - sizeof(frame);
	if (registers->rsp >= at ||
	    remote_failed(remote_read(memory_fd, at, &frame, sizeof(frame))) ||
	    !read_back(memory_fd, spans_of(bank)->rsp, &frame, &ret_routine->back))
		return false;
	/* Else it is the library of regions that is called. */
	if (!tool_space_has(thread->process->space->tools, frame.address) &&
	    frame.address - thread->process->space->family->arena->address >=
		    WIRE_RESIDENT_SIZE)
		return false;
	ret_routine->address = frame.address;
	registers->rsp = at;
	registers->rip = thread->process->space->family->arena->address +
			 resident_table()->tool_back;
	registers->orig_rax = (unsigned long long)-1;
	return true;
}

void spans_set_thread_pointer(const struct session *session, const struct thread *thread,
			      uint64_t pointer)
{
	struct wire_spans *spans = spans_of_thread(session, thread);

	if (spans && session->options->collector->routines)
		spans->thread_pointer = pointer;
}

void spans_bar_bank(const struct session *session, const struct bank *bank, bool bar)
{
	if (!session->options->collector->routines)
		return;
	__atomic_store_n(&spans_of(bank)->barred,
			 bank->common ? WIRE_BARRED_ALL
			 : bar        ? WIRE_BARRED_TOOLS
				      : 0,
			 __ATOMIC_SEQ_CST);
	if (spans_of(bank)->barred)
		set_routines(bank, NULL, NULL);
}

void spans_bar_routines(const struct session *session, const struct thread *thread,
			bool bar)
{
	if (!thread->bank)
		return;
	spans_bar_bank(session, thread->bank, bar);
	if (session->options->collector->routines && !spans_of(thread->bank)->barred)
		set_routines(thread->bank, session->options,
			     thread->process->space->family->arena->control);
}

bool spans_have_stacks(const struct session *session)
{
	vector_for_each (&session->options->tools, tool)
		vector_for_each (&tool->routines, routine)
			if (!routine->direct)
				return true;
	return false;
}

bool spans_mark_routine(const struct session *session, const struct thread *thread)
{
	struct wire_spans *spans = spans_of_thread(session, thread);
	uint32_t busy = BUSY;

	if (!spans)
		return false;
	/* The thread may be done just now. */
	return !__atomic_compare_exchange_n(&spans->busy, &busy, BUSY_MARKED, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
	       busy == BUSY_MARKED;
}

bool spans_tell(const struct session *session, const struct thread *thread,
		const struct user_regs_struct *registers)
{
	return busy_bank(session, thread, registers) != NULL;
}

bool spans_hold(const struct session *session, const struct thread *thread,
		const struct user_regs_struct *registers)
{
	uint64_t back;

	return spans_tell(session, thread, registers) ||
	       (session->options->collector->routines &&
		is_in_direct(thread, registers, &back)) ||
	       is_calling(session, thread, registers->rip) ||
	       is_untold(session, thread, *registers);
}

bool spans_undo_point(const struct session *session, const struct thread *thread,
		      struct user_regs_struct *registers)
{
	const struct space *space = thread->process ? thread->process->space : NULL;
	const struct module *module =
		session->options->collector->routines && thread->bank && space
			? space_module_of_code(space, registers->rip)
			: NULL;
	struct plan_position place;

	if (!module)
		return true;
	place = module_locate(module, registers->rip);
	return place.kind != PLAN_POSITION_POINT || !place.unmade ||
	       point_undo(thread, module, &place, registers);
}

bool spans_find_gate(const struct session *session, const struct thread *thread,
		     struct user_regs_struct *registers)
{
	const struct resident_table *table = resident_table();
	const struct bank *bank = busy_bank(session, thread, registers);

	if (!bank || (!is_on_stack(bank, registers) &&
		      gate_position_holds(thread->process->space, registers->rip)))
		return false;
	registers->rip = thread->process->space->family->arena->address +
			 table->graph[RESIDENT_SPAN_BEGIN].saved;
	registers->rsp = spans_of(bank)->rsp;
	return gate_position_find(thread, registers);
}

/* Has signals that are put off come when a routine returns that was called directly, if
 * its point does nothing about them. */
static bool change_return(const struct thread *thread,
			  const struct user_regs_struct *registers)
{
	const uint64_t late = late_return(thread);
	uint64_t back;

	if (!is_in_direct(thread, registers, &back) || !is_unmade(thread, back))
		return true;
	spans_of(thread->bank)->direct = back;
	return !remote_failed(remote_write(thread->process->space->memory_fd,
					   registers->rsp, &late, sizeof(late)));
}

bool spans_put_off(struct thread *thread, int signal, const siginfo_t *info)
{
	struct wire_spans *spans = spans_of(thread->bank);
	struct user_regs_struct registers;
	uint64_t mask;

	if (signal == SIGSTOP || remote_failed(remote_get_mask(thread->tid, &mask)) ||
	    remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    !change_return(thread, &registers))
		return false;
	if (!spans->masked)
		spans->mask = mask;
	spans->masked = WIRE_MASKED_SPAN;
	if (remote_failed(remote_set_mask(thread->tid, ~settle_synchronous)))
		return false;
	thread->held = *info;
	syscall(SYS_tkill, thread->tid, signal);
	return true;
}

bool spans_trap_behind(const struct session *session, const struct thread *thread,
		       const struct user_regs_struct *registers)
{
	struct wire_spans *spans = spans_of_thread(session, thread);
	uint64_t mask;

	if (!spans_tell(session, thread, registers) ||
	    remote_failed(remote_get_mask(thread->tid, &mask)))
		return false;
	if (!spans->masked)
		spans->mask = mask;
	spans->masked = WIRE_MASKED_SPAN;
	thread->bank->shared->quiet |= 1;
	return true;
}

void spans_note_mask(const struct session *session, struct thread *thread, uint64_t mask)
{
	struct wire_spans *spans = spans_of_thread(session, thread);

	if (!spans || spans->masked)
		return;
	spans->mask = mask;
	spans->masked = WIRE_MASKED_TIMER;
}

void spans_forget_mask(const struct session *session, struct thread *thread)
{
	struct wire_spans *spans = spans_of_thread(session, thread);

	if (spans && spans->masked == WIRE_MASKED_TIMER)
		spans->masked = 0;
}
