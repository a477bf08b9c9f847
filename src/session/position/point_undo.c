#include "session/position/point_undo.h"

#include "code/locate/locate_points.h"
#include "code/points/points.h"
#include "control/remote.h"
#include "resident/resident.h"
#include "session/state/module.h"
#include "wire/registers.h"
#include "wire/spans.h"

/* Words that the resident has on the program's stack at most, in front of the return
 * address: resident/tool.S, label 6; there rdi is changed behind the last push. */
enum { WORDS = WIRE_TOOL_KEPT / 8, RDI_WORD = 4 };

/* By the numbers of their encodings. */
static unsigned long long *register_of(struct user_regs_struct *registers,
				       unsigned int number)
{
	unsigned long long *const all[16] = {
		&registers->rax, &registers->rcx, &registers->rdx, &registers->rbx,
		&registers->rsp, &registers->rbp, &registers->rsi, &registers->rdi,
		&registers->r8,  &registers->r9,  &registers->r10, &registers->r11,
		&registers->r12, &registers->r13, &registers->r14, &registers->r15};

	return all[number & 15];
}

/* Status flags from the form in which lahf and seto save them. */
static uint64_t status_flags(uint64_t saved)
{
	return (saved >> 8 & 0xd5) | (saved & 1 ? 0x800 : 0);
}

static bool restore_flags(int memory_fd, const struct plan_point_front *front,
			  uint64_t top, struct user_regs_struct *registers)
{
	uint64_t word = registers->rax;

	if (front->flags_from &&
	    remote_failed(
		    remote_read(memory_fd, top - front->flags_from, &word, sizeof(word))))
		return false;
	if (front->flags)
		registers->eflags = (registers->eflags & ~0x8d5ull) | status_flags(word);
	return true;
}

bool point_undo(const struct thread *thread, const struct module *module,
		const struct plan_position *place, struct user_regs_struct *registers)
{
	const int memory_fd = thread->process->space->memory_fd;
	const uint64_t size = registers->rip - module->code_address - place->begin;
	struct user_regs_struct undone = *registers;
	struct plan_point_front front;
	uint8_t code[POINT_SIZE_MAX];

	if (size > sizeof(code) ||
	    remote_failed(remote_read(memory_fd, module->code_address + place->begin,
				      code, size)))
		return false;
	plan_read_front(code, size, &front);
	const uint64_t top = registers->rsp + front.depth;

	if (!restore_flags(memory_fd, &front, top, &undone))
		return false;
	for (unsigned int number = 0; number < 16; number++)
		if (front.saved >> number & 1 &&
		    remote_failed(remote_read(memory_fd, top - front.from[number],
					      register_of(&undone, number), 8)))
			return false;
	undone.rsp = top;
	undone.rip = module->code_address + place->begin;
	*registers = undone;
	return true;
}

/* Whether an address is in the code of a point behind a call that it makes. */
static bool is_in_point(const struct space *space, uint64_t address)
{
	const struct module *module = space_module_of_code(space, address);

	return module && module_locate(module, address).kind == PLAN_POSITION_POINT;
}

bool point_undo_call(const struct thread *thread, struct user_regs_struct *registers)
{
	const struct space *space = thread->process->space;
	const uint64_t offset = registers->rip - space->family->arena->address;
	uint64_t words[WORDS + 1] = {0};
	unsigned int i = 0;

	if (offset < resident_table()->tool_call ||
	    offset >= resident_table()->tool_freed)
		return false;
	remote_read_mapped(space->memory_fd, registers->rsp, words, sizeof(words));
	while (i <= WORDS && !is_in_point(space, words[i]))
		i++;
	if (i > WORDS)
		return false;
	if (i == WORDS - 1)
		registers->rdi = words[RDI_WORD];
	registers->rip = words[i];
	registers->rsp += (i + 1) * sizeof(words[0]);
	return true;
}
