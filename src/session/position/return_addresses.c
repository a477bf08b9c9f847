#include "session/position/return_addresses.h"

#include "base/page.h"
#include "code/locate/address_map.h"
#include "control/remote.h"
#include "session/position/vdso.h"
#include "session/state/module.h"
#include "wire/bank.h"
#include "wire/registers.h"
#include "wire/unwind.h"

#include <string.h>
#include <unistd.h>

enum { CHUNK = 64 << 10 };

/* Two addresses further apart than this are on different stacks. */
#define STACK_MAX (64ull << 20)

/* Bytes searched of a stack with an unknown end, such as a coroutine's. It is less
 * than in look.c: signals may come often. */
#define UNKNOWN_MAX (1ull << 20)

/* Greatest number of interrupted places remembered for a thread. */
#define HANDLED_MAX 512

/* A part of the program's memory. */
struct memory {
	struct thread *thread;
	const struct space *space;
	pid_t pid;
	uint64_t start, size; /* bytes */
	uint64_t words[CHUNK / sizeof(uint64_t)];
	/* Parameters of return_addresses_visit; `pc` is the place in the function
	 * whose frame is next. */
	return_addresses_visitor *visit;
	void *context;
	uint64_t pc;
};

/* Returns the address range that contains all of trammel's code. */
static struct image_range all_code(const struct space *space)
{
	struct image_range all = {UINT64_MAX, 0};

	vector_for_each (&space->modules, module) {
		uint64_t end = module->code_address + module->code_size;

		if (!module->code_size)
			continue;
		all.start = module->code_address < all.start ? module->code_address
							     : all.start;
		all.end = end > all.end ? end : all.end;
	}
	return all;
}

/* Returns the original of a return address in relocated code; any other word
 * unchanged. */
static uint64_t show_word(const struct space *space, uint64_t address, uint64_t word)
{
	const struct module *module = space_module_of_code(space, word);
	uint64_t original;

	if (!module ||
	    !plan_return_of(module->file->plan, (uint32_t)(word - module->code_address),
			    &original))
		return word;
	original += module->bias;
	trm_error_destroy(
		remote_write(space->memory_fd, address, &original, sizeof(original)));
	return original;
}

static bool find_tables(const struct memory *memory, const struct module *module,
			uint64_t pc, struct unwind_tables *ret_tables)
{
	if (!module)
		return vdso_find_tables(memory->pid, pc, ret_tables);
	if (!module->file->unwind.header)
		return false;
	const struct image_unwind *unwind = &module->file->unwind;

	*ret_tables = (struct unwind_tables){
		.header = unwind->header + module->bias,
		.start = unwind->start + module->bias,
		.end = unwind->end + module->bias,
		.bytes = unwind->bytes,
	};
	return true;
}

static bool find_rule(void *context, uint64_t pc, struct unwind_rule *ret_rule)
{
	const struct memory *memory = context;
	struct unwind_tables tables;

	return find_tables(memory, space_module_of_text(memory->space, pc), pc,
			   &tables) &&
	       unwind_find_rule(&tables, pc, ret_rule);
}

/* Reads on from an address; returns false if nothing can be read. */
static bool fill_memory(struct memory *memory, uint64_t address, uint64_t size)
{
	ssize_t got =
		pread(memory->space->memory_fd, memory->words, size, (off_t)address);

	memory->start = address;
	memory->size = got > 0 ? (uint64_t)got & ~7ull : 0;
	return memory->size != 0;
}

static bool read_word(void *context, uint64_t address, uint64_t *ret_word)
{
	struct memory *memory = context;

	if (address % sizeof(*ret_word))
		return false;
	if (address - memory->start >= memory->size &&
	    !fill_memory(memory, address, PAGE))
		return false;
	*ret_word = memory->words[(address - memory->start) / sizeof(*ret_word)];
	return true;
}

static bool read_return(void *context, uint64_t address, uint64_t *ret_pc)
{
	uint64_t word;

	if (!read_word(context, address, &word))
		return false;
	*ret_pc = show_word(((const struct memory *)context)->space, address, word);
	return true;
}

static uint64_t end_of(const struct thread *thread, uint64_t start)
{
	uint64_t end = thread->bank ? thread->bank->shared->stack_end : 0;

	return end > start && end - start < STACK_MAX ? end : start + UNKNOWN_MAX;
}

/* Shows the original of each word from `start` up to the stack's end. */
static void show_all(struct memory *memory, uint64_t start, uint64_t end)
{
	const struct image_range code = all_code(memory->space);

	for (uint64_t at = start & ~7ull; at < end; at += memory->size) {
		uint64_t size = CHUNK - at % PAGE;

		if (size > end - at)
			size = end - at;
		if (!fill_memory(memory, at, size))
			return;
		for (uint64_t i = 0; i < memory->size / sizeof(uint64_t); i++)
			if (memory->words[i] - code.start < code.end - code.start)
				show_word(memory->space, at + i * sizeof(uint64_t),
					  memory->words[i]);
		if (memory->size < size)
			return;
	}
}

/* Returns whether a place is remembered. The stack that a running handler interrupted
 * was shown to it, and stays so until the handler returns; so nested handlers do not
 * make each signal take longer than the one before. */
static bool is_known(void *context, uint64_t rsp)
{
	const struct thread *thread = ((const struct memory *)context)->thread;

	for (size_t i = thread->handled.count; i-- > 0;)
		if (thread->handled.items[i] == rsp)
			return true;
	return false;
}

/* Remembers an interrupted place. Handlers of places lower on the stack have ended. If
 * there are still too many, the outermost are walked again. */
static void remember_place(struct thread *thread, uint64_t rsp)
{
	size_t count = thread->handled.count;
	uint64_t *items = thread->handled.items;

	while (count && rsp >= items[count - 1] && rsp - items[count - 1] < STACK_MAX)
		count--;
	if (count == HANDLED_MAX) {
		count /= 2;
		memmove(items, items + count, count * sizeof(*items));
	}
	thread->handled.count = count;
	vector_push(&thread->handled, rsp);
}

static void show_frames(const struct thread *thread, struct memory *memory,
			const struct unwind_place *place)
{
	const struct unwind_view view = {memory, find_rule, read_word, read_return,
					 is_known};
	uint64_t rest = unwind_walk(&view, *place);

	if (rest != UNWIND_DONE)
		show_all(memory, rest, end_of(thread, rest));
}

/* Returns the buffer for memory read from one thread; the tracer serves one thread
 * after the other. */
static struct memory *memory_of(struct thread *thread)
{
	static struct memory memory;

	memory.thread = thread;
	memory.space = thread->process->space;
	memory.pid = thread->process->pid;
	memory.size = 0;
	return &memory;
}

static struct unwind_place place_of(const struct user_regs_struct *r)
{
	return (struct unwind_place){.pc = r->rip,
				     .exact = true,
				     .registers = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi,
						   r->rdi, r->rbp, r->rsp, r->r8, r->r9,
						   r->r10, r->r11, r->r12, r->r13, r->r14,
						   r->r15}};
}

void return_addresses_show(struct thread *thread,
			   const struct user_regs_struct *registers)
{
	const struct unwind_place place = place_of(registers);

	if (!thread->process->space->copies_calls)
		return;
	show_frames(thread, memory_of(thread), &place);
	remember_place(thread, registers->rsp);
}

void return_addresses_show_hooked(struct thread *thread,
				  const struct wire_registers *registers)
{
	struct memory *memory = memory_of(thread);
	struct unwind_place place = wire_return_place(registers);

	if (!thread->process->space->copies_calls)
		return;
	if (read_return(memory, registers->rsp, &place.pc))
		show_frames(thread, memory, &place);
	else
		show_all(memory, registers->rsp, end_of(thread, registers->rsp));
}

/* Modules that are not measured have frames, too. */
static bool find_frame(void *context, uint64_t pc, struct unwind_rule *ret_rule)
{
	struct memory *memory = context;
	const struct module *found = NULL;
	struct unwind_tables tables;

	memory->pc = pc;
	vector_for_each (&memory->space->modules, module)
		if (module_holds_text(module, pc))
			found = module;
	return find_tables(memory, found, pc, &tables) &&
	       unwind_find_rule(&tables, pc, ret_rule);
}

static bool visit_return(void *context, uint64_t address, uint64_t *ret_pc)
{
	struct memory *memory = context;

	if (!read_word(memory, address, ret_pc))
		return false;
	memory->visit(memory->context, address, memory->pc);
	return true;
}

void return_addresses_visit(struct thread *thread,
			    const struct user_regs_struct *registers,
			    return_addresses_visitor *visit, void *context)
{
	struct memory *memory = memory_of(thread);
	const struct unwind_view view = {memory, find_frame, read_word, visit_return,
					 NULL};

	memory->visit = visit;
	memory->context = context;
	unwind_walk(&view, place_of(registers));
}
