#include "debug/console/steps.h"

#include "control/remote.h"
#include "debug/console/breaks.h"
#include "debug/console/names.h"
#include "session/debug/access.h"
#include "session/debug/halt.h"
#include "x86/decode.h"

enum { INSTRUCTION = 15 };

void steps_end(struct console *console)
{
	if (console->step.back)
		debug_unbreak(console->session, console->step.back);
	console->step = (struct console_step){0};
}

static struct trm_error *make_step(struct console *console)
{
	struct user_regs_struct registers;

	TRM_TRY(debug_get_registers(console->session, console->step.tid, &registers));
	console->step.from = registers.rip;
	console->waits = true;
	return debug_step(console->session, console->step.tid, true);
}

/* Notes the line in which the thread is. */
static void begin_line(struct console *console, const struct user_regs_struct *registers)
{
	struct console_step *step = &console->step;

	step->rsp = registers->rsp;
	if (!step->lines ||
	    !names_line(console, registers->rip, &step->start, &step->end))
		step->start = step->end = 0;
}

struct trm_error *steps_begin(struct console *console, enum console_going going,
			      bool lines, uint64_t count)
{
	struct user_regs_struct registers;

	TRM_TRY(debug_get_registers(console->session, console->tid, &registers));
	console->step = (struct console_step){
		.going = going, .lines = lines, .left = count, .tid = console->tid};
	begin_line(console, &registers);
	return make_step(console);
}

struct trm_error *steps_run_to(struct console *console, uint64_t address, uint64_t rsp)
{
	console->step = (struct console_step){.going = GOING_OUT, .tid = console->tid};
	console->step.back = breaks_set_own(console, address, console->tid, rsp);
	console->waits = true;
	debug_go(console->session);
	return NULL;
}

/* Whether the instruction that a thread has executed was a call, which it is in now. */
static bool has_called(struct console *console, const struct user_regs_struct *registers,
		       uint64_t *ret_behind)
{
	uint8_t bytes[INSTRUCTION] = {0};
	struct instruction instruction;

	if (remote_failed(debug_read(console->session, console->pid, console->step.from,
				     bytes, sizeof(bytes))))
		return false;
	if (!decode_instruction(bytes, sizeof(bytes), console->step.from, &instruction))
		return false;
	*ret_behind = console->step.from + instruction.length;
	return instruction_calls(&instruction) && registers->rip != *ret_behind;
}

/* Runs to behind a call. */
static void run_over(struct console *console, uint64_t behind,
		     const struct user_regs_struct *registers)
{
	console->step.back = breaks_set_own(console, behind, console->step.tid,
					    registers->rsp + sizeof(uint64_t));
	console->waits = true;
	debug_go(console->session);
}

/* Whether the thread is in the line in which the step began. */
static bool is_in_line(const struct console_step *step, uint64_t address)
{
	return step->end && address >= step->start && address < step->end;
}

/* Whether it is at the begin of a line, or where no lines are known and it began so. */
static bool begins_line(struct console *console, uint64_t address)
{
	uint64_t start, end;

	if (!console->step.end)
		return true;
	return names_line(console, address, &start, &end) && start == address;
}

/* The next part of a step by lines; false: it is done. */
static bool go_on_lines(struct console *console, const struct user_regs_struct *registers)
{
	struct console_step *step = &console->step;
	uint64_t behind, start, end;

	if (has_called(console, registers, &behind) &&
	    (step->going == GOING_NEXT ||
	     !names_line(console, registers->rip, &start, &end))) {
		run_over(console, behind, registers);
		return true;
	}
	if (is_in_line(step, registers->rip) || !begins_line(console, registers->rip)) {
		trm_error_destroy(make_step(console));
		return true;
	}
	return false;
}

static bool go_on_instructions(struct console *console,
			       const struct user_regs_struct *registers)
{
	uint64_t behind;

	if (console->step.going != GOING_NEXT || !has_called(console, registers, &behind))
		return false;
	run_over(console, behind, registers);
	return true;
}

/* The next part of a step, or the next step; false: all are done. `back`: from a call. */
static bool goes_on(struct console *console, const struct user_regs_struct *registers,
		    bool back)
{
	struct console_step *step = &console->step;

	if (step->lines ? go_on_lines(console, registers)
			: !back && go_on_instructions(console, registers))
		return true;
	if (step->left <= 1)
		return false;
	step->left--;
	begin_line(console, registers);
	trm_error_destroy(make_step(console));
	return true;
}

bool steps_go_on(struct console *console, const struct debug_event *stop)
{
	struct console_step *step = &console->step;
	struct user_regs_struct registers;
	const bool back = step->back && stop->reason == DEBUG_REASON_BREAKPOINT &&
			  stop->breakpoint == step->back;

	if (!step->going || (stop->reason != DEBUG_REASON_STEP && !back) ||
	    stop->tid != step->tid ||
	    remote_failed(debug_get_registers(console->session, stop->tid, &registers))) {
		steps_end(console);
		return false;
	}
	if (step->back)
		debug_unbreak(console->session, step->back);
	step->back = 0;
	/* The call is over. */
	if (back)
		step->from = registers.rip;
	if (step->going != GOING_OUT && goes_on(console, &registers, back))
		return true;
	steps_end(console);
	return false;
}
