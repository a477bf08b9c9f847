/*
 * With a tracer this never runs: the tracer sees each SIGTRAP first, and before the
 * program is to get one of its own, sets what the program has set
 * (session/debug/guard.c).
 *
 * A break instruction stays until a guardian takes it away, or this does. A signal that
 * is the program's own is made once more, when what the program has set for it is in
 * force.
 */
#include "resident/trap.h"

#include "resident/inside.h"

enum {
	BREAK = 0xcc,
	LONG_BREAK = 0xcd, /* with 3 behind it */
	TRAP_TRACE = 2,
	TRAP_WATCH = 4, /* a debug register stays with its thread */
	SI_KERNEL = 0x80,
	TRAP_FLAG = 0x100,
	/* Words of a ucontext_t. */
	RIP = 0xa8 / 8,
	FLAGS = 0xb0 / 8,
	/* Looks, a millisecond apart, whether a guardian has taken a break away. */
	LOOKS = 50,
};

void trap_give_back(struct wire_breaks *breaks)
{
	uint64_t arguments[6] = {SIGTRAP, (uint64_t)(uintptr_t)&breaks->programs, 0,
				 sizeof(uint64_t)};

	system_call(SYS_rt_sigaction, arguments);
	breaks->raised = 0;
}

static uint8_t byte_at(uint64_t address)
{
	return *(const volatile uint8_t *)(uintptr_t)address;
}

/* Finds what a break instruction replaces; false: there is none of a debugger's. */
static bool find_row(const struct wire_breaks *breaks, uint64_t address,
		     uint8_t *ret_byte)
{
	for (uint32_t i = 0; i < WIRE_BREAKS_MAX; i++) {
		if (breaks->rows[i] >> 8 != address)
			continue;
		*ret_byte = (uint8_t)breaks->rows[i];
		return true;
	}
	return false;
}

static void wait_a_while(void)
{
	const uint64_t time[2] = {0, 1000000};
	uint64_t arguments[6] = {(uint64_t)(uintptr_t)time};

	system_call(SYS_nanosleep, arguments);
}

/* Writes a byte of code: the kernel copies the page, as for a debugger. */
static bool write_by_file(uint64_t address, uint8_t byte)
{
	static const char path[] = "/proc/self/mem";
	uint64_t open[6] = {(uint64_t)(uintptr_t)path, O_RDWR | O_CLOEXEC};
	const int64_t fd = system_call(SYS_open, open);
	uint64_t write[6] = {(uint64_t)fd, (uint64_t)(uintptr_t)&byte, 1, address};

	if (fd < 0)
		return false;
	const bool written = system_call(SYS_pwrite64, write) == 1;

	system_call(SYS_close, write);
	return written;
}

/* The same where several processes have the page: no copy of it can be made. */
static void write_shared(uint64_t address, uint8_t byte)
{
	const uint64_t page = address & ~0xfffull;
	uint64_t arguments[6] = {page, 0x1000, PROT_READ | PROT_WRITE | PROT_EXEC};

	if (system_call(SYS_mprotect, arguments))
		return;
	*(volatile uint8_t *)(uintptr_t)address = byte;
	arguments[2] = PROT_READ | PROT_EXEC;
	system_call(SYS_mprotect, arguments);
}

static void take_away(const struct wire_control *control, uint64_t address, uint8_t byte)
{
	/* A filter may end a program that makes other calls than its own. */
	if (!control->unfiltered)
		return;
	for (int i = 0; i < LOOKS && byte_at(address) == BREAK; i++)
		wait_a_while();
	if (byte_at(address) == BREAK && !write_by_file(address, byte))
		write_shared(address, byte);
}

/* Has the signal come once more, when the handler is over. */
static void send_again(const int32_t *info)
{
	uint64_t arguments[6] = {0, 0, SIGTRAP, (uint64_t)(uintptr_t)info};

	arguments[0] = (uint64_t)system_call(SYS_getpid, arguments);
	arguments[1] = (uint64_t)system_call(SYS_gettid, arguments);
	system_call(SYS_rt_tgsigqueueinfo, arguments);
}

void resident_trap(const int32_t *info, uint64_t *context, struct wire_control *control)
{
	struct wire_breaks *breaks = &control->breaks;
	const uint64_t behind = context[RIP];
	const bool broke = info[2] == SI_KERNEL;
	const bool is_long =
		broke && byte_at(behind - 1) == 3 && byte_at(behind - 2) == LONG_BREAK;
	uint8_t byte;

	if (info[2] == TRAP_WATCH)
		return;
	if (info[2] == TRAP_TRACE && (breaks->stepping || !breaks->programs.handler)) {
		context[FLAGS] &= ~(uint64_t)TRAP_FLAG;
		return;
	}
	if (broke && find_row(breaks, behind - 1, &byte)) {
		take_away(control, behind - 1, byte);
		context[RIP] = behind - 1;
		return;
	}
	if (broke && byte_at(behind - 1) != BREAK && !is_long) {
		context[RIP] = behind - 1; /* it was taken away meanwhile */
		return;
	}
	trap_give_back(breaks);
	if (broke)
		context[RIP] = is_long ? behind - 2 : behind - 1;
	else
		send_again(info);
}
