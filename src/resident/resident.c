/*
 * The C part of the resident, between its entries in resident.S. Freestanding: see the
 * rules for code inside the program in HACKING.md.
 */
#include "inside.h"
#include "wire/context.h"
#include "wire/seccomp.h"

#define SYS_futex            202
#define SYS_gettid           186
#define SYS_futex_waitv      449 /* since Linux 5.16 */
#define SYS_clock_gettime    228
#define CLOCK_MONOTONIC      1
#define FUTEX_WAIT           0
#define FUTEX_WAKE           1
#define FUTEX_32             2
#define PR_SET_TSC           26
#define PR_TSC_SIGSEGV       2
#define SYS_ptrace           101
#define SYS_execve           59
#define SYS_execveat         322
#define SYS_arch_prctl       158
#define ARCH_SET_GS          0x1001
#define SYS_mmap             9
#define SYS_mprotect         10
#define SYS_mremap           25
#define SYS_munmap           11
#define MREMAP_MAYMOVE       1
#define MREMAP_DONTUNMAP     4 /* of files since Linux 5.13 */
#define SYS_open             2
#define SYS_close            3
#define SYS_fstat            5
#define SYS_madvise          28
#define PROT_READ            1
#define PROT_EXEC            4
#define MAP_PRIVATE          2
#define MADV_DONTNEED        4
#define MADV_DONTNEED_LOCKED 24  /* since Linux 5.18 */
#define MADV_GUARD_INSTALL   102 /* since Linux 6.13 */
#define O_CLOEXEC            02000000
#define SYS_pkey_mprotect    329
#define PROT_WRITE           2
#define MAP_FIXED            0x10

/* The longest that a thread waits for a tracer that neither answers nor is known
 * dead. */
#define WAIT_NS      20000000
#define WAITS_IN_ALL 1500

/* Before a thread falls asleep: looks of some 50 ns. */
#define AWAKE_LOOKS 10000u

/* The number of polls for a thread that may make no system call: about 50 ns each. */
#define QUIET_LOOKS 600000000u

/* How many looks, and waits, in a row find that the tracer has answered and that no reply
 * is there, before the thread goes on without one: see went_elsewhere. */
#define IDLE_LOOKS 1000000u
#define IDLE_WAITS 8u

void resident_serve(struct wire_bank *bank, const struct wire_registers *frame);
void resident_run(struct wire_batch *batch, const struct wire_control *control);
void resident_alone(const struct wire_control *control,
		    const struct wire_registers *frame);
void resident_way_back(uint64_t *context);

/* The kernel's (asm/stat.h). */
struct file_status {
	uint64_t device, inode, links, rights[3], size, blocks[2];
	uint64_t accessed[2], modified[2], changed[2], unused[5];
};

struct timespec {
	int64_t seconds, nanoseconds;
};

/* The word is shared by two processes: not a private futex. */
static void call_futex(uint32_t *word, uint64_t operation, uint64_t value,
		       const struct timespec *timeout)
{
	uint64_t arguments[6] = {(uint64_t)(uintptr_t)word,    operation, value,
				 (uint64_t)(uintptr_t)timeout, 0,         0};

	system_call(SYS_futex, arguments);
}

/* Waits until one of both words changes. False: it cannot. */
static int wait_for_both(uint32_t *word, uint32_t value, const uint32_t *other,
			 uint32_t other_value)
{
	const struct {
		uint64_t value, word;
		uint32_t flags, unused;
	} waits[] = {
		{value, (uint64_t)(uintptr_t)word, FUTEX_32, 0},
		{other_value, (uint64_t)(uintptr_t)other, FUTEX_32, 0},
	};
	struct timespec end;
	uint64_t read[6] = {CLOCK_MONOTONIC, (uint64_t)(uintptr_t)&end};
	uint64_t arguments[6] = {(uint64_t)(uintptr_t)waits,
				 2,
				 0,
				 (uint64_t)(uintptr_t)&end,
				 CLOCK_MONOTONIC,
				 0};

	if (system_call(SYS_clock_gettime, read))
		return 0;
	end.nanoseconds += WAIT_NS;
	if (end.nanoseconds >= 1000000000) {
		end.nanoseconds -= 1000000000;
		end.seconds++;
	}
	int64_t result = system_call(SYS_futex_waitv, arguments);

	return result != -ENOSYS && result != -EPERM;
}

/*
 * Waits for a reply, or for the tracer's death: a thread that is about to restore texts
 * must do so at once then, while the kernel still holds the threads that the tracer had
 * stopped.
 */
static void wait_for_reply(struct wire_bank *bank, const struct wire_control *control)
{
	static const struct timespec pause = {0, WAIT_NS};
	uint32_t owner = __atomic_load_n(&control->owner[0], __ATOMIC_ACQUIRE);

	if ((owner & FUTEX_OWNER_DIED) == 0 &&
	    (!control->unfiltered ||
	     !wait_for_both(&bank->reply, WIRE_NONE, &control->owner[0], owner)))
		call_futex(&bank->reply, FUTEX_WAIT, WIRE_NONE, &pause);
}

void resident_run(struct wire_batch *batch, const struct wire_control *control)
{
	for (size_t i = 0; i < batch->count && i < WIRE_BATCH_MAX; i++) {
		struct wire_call *call = &batch->calls[i];
		uint64_t arguments[6];

		if (batch->together && tracer_died(control))
			return;
		for (int k = 0; k < 6; k++) {
			uint64_t value = call->arguments[k];

			if (WIRE_IS_RESULT(value))
				value = (uint64_t)batch->calls[value & 31].result;
			arguments[k] = value;
		}
		arguments[call->added_to % 6] += call->addend;
		call->result = system_call(call->number, arguments);
	}
}

/* Posts a request and rings the tracer's doorbell. */
static void post_request(struct wire_bank *bank, struct wire_control *control,
			 enum wire_request request)
{
	__atomic_store_n(&bank->request, request, __ATOMIC_RELEASE);
	__atomic_fetch_add(&control->doorbell, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&control->awake, __ATOMIC_SEQ_CST))
		call_futex(&control->doorbell, FUTEX_WAKE, 1, NULL);
}

/* The reply of a tracer that is awake: it takes less long than to fall asleep. */
static void await_awake(const struct wire_bank *bank, const struct wire_control *control)
{
	for (uint32_t i = 0;
	     i < AWAKE_LOOKS && __atomic_load_n(&control->awake, __ATOMIC_RELAXED) &&
	     !__atomic_load_n(&bank->reply, __ATOMIC_RELAXED);
	     i++)
		__builtin_ia32_pause();
}

/*
 * Whether a reply that is awaited has gone to another thread: where there are no banks
 * for new threads, one has the bank of the thread that made it, and both may ask at a
 * time. The tracer has answered then, and no reply is there; `looks` counts how often in
 * a row that was seen, since the tracer writes one word after the other.
 */
static int went_elsewhere(const struct wire_bank *bank, uint32_t *looks, uint32_t most)
{
	if (__atomic_load_n(&bank->request, __ATOMIC_ACQUIRE) != WIRE_IDLE)
		*looks = 0;
	else
		++*looks;
	return *looks > most;
}

/* Takes the tracer's reply; WIRE_DONE if it is dead. */
static enum wire_reply await_reply(struct wire_bank *bank,
				   const struct wire_control *control)
{
	uint32_t looks = 0;

	for (int waits = 0; waits < WAITS_IN_ALL; waits++) {
		uint32_t reply =
			__atomic_exchange_n(&bank->reply, WIRE_NONE, __ATOMIC_ACQUIRE);

		if (reply != WIRE_NONE)
			return reply;
		if (tracer_died(control) || went_elsewhere(bank, &looks, IDLE_WAITS))
			break;
		wait_for_reply(bank, control);
	}
	return WIRE_DONE;
}

/* Excludes the time since the thread asked from the times of its open regions: see
 * wire/context.h. */
static void give_time_back(struct wire_bank *bank)
{
	struct context_thread *thread = (void *)(uintptr_t)bank->context;
	uint64_t now = bank->asked_ticks ? __builtin_ia32_rdtsc() : 0, ticks;

	if (!thread || !now || thread->last >= now)
		return;
	ticks = now -
		(thread->last > bank->asked_ticks ? thread->last : bank->asked_ticks);
	for (struct context_node *node = thread->node; node && node->parent;
	     node = node->parent)
		node->began += ticks;
	thread->held += ticks;
	thread->last += ticks;
}

/* The last reply; WIRE_ALONE if there was none since the tracer is dead. */
static enum wire_reply ask_tracer(struct wire_bank *bank)
{
	struct wire_control *control = (struct wire_control *)(uintptr_t)bank->control;

	enum wire_reply reply;

	if (tracer_died(control))
		return WIRE_ALONE;
	bank->asked_ticks = bank->untimed ? 0 : __builtin_ia32_rdtsc();
	__atomic_store_n(&bank->reply, WIRE_NONE, __ATOMIC_RELEASE);
	post_request(bank, control, WIRE_POSTED);
	await_awake(bank, control);
	while ((reply = await_reply(bank, control)) == WIRE_RUN) {
		resident_run(&bank->batch, control);
		post_request(bank, control, WIRE_RAN);
	}
	give_time_back(bank);
	__atomic_store_n(&bank->request, WIRE_IDLE, __ATOMIC_RELEASE);
	if (!tracer_died(control))
		return reply;
	/* The kernel has woken one. */
	call_futex(&control->owner[0], FUTEX_WAKE, INT32_MAX, NULL);
	return WIRE_ALONE;
}

/* Not an assignment: compilers make it a call of memcpy. */
static void copy_registers(struct wire_registers *to, const struct wire_registers *from)
{
	uint64_t words = sizeof(*to) / sizeof(uint64_t);

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/* Whether syscall(2)'s arguments are a call that may change code. */
static int call_changes_code(const struct wire_registers *registers)
{
	switch (registers->rdi) {
	case SYS_mremap:
		return 1;
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		return (registers->rcx & (PROT_WRITE | PROT_EXEC)) != PROT_EXEC;
	case SYS_mmap:
		return (registers->r8 & MAP_FIXED) != 0;
	default:
		return 0;
	}
}

/* Whether a call drops pages of a text with patches. */
static int call_drops_text(const struct wire_control *control,
			   const struct wire_registers *registers)
{
	const uint32_t advice = (uint32_t)registers->rcx;

	if (registers->rdi != SYS_madvise ||
	    (advice != MADV_DONTNEED && advice != MADV_DONTNEED_LOCKED &&
	     advice != MADV_GUARD_INSTALL))
		return 0;
	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_text *text = &control->texts[i];

		if (registers->rsi < text->end &&
		    registers->rsi + registers->rdx > text->start)
			return 1;
	}
	return 0;
}

/* Whether syscall(2)'s arguments are a call that the tracer must hear of. */
static int call_matters(const struct wire_registers *registers)
{
	switch (registers->rdi) {
	case SYS_ptrace:
	case SYS_execve:
	case SYS_execveat:
		return 1;
	case WIRE_SYS_PRCTL:
		return wire_call_dispatches(registers->rdi, registers->rsi,
					    registers->rdx);
	case SYS_arch_prctl:
		return registers->rsi == ARCH_SET_GS;
	default:
		return call_changes_code(registers);
	}
}

/* Whether a function that may set the GS base would do so with these arguments, for Go
 * functions, too. */
static int may_set_gs(uint32_t hook, const struct wire_registers *r)
{
	const uint64_t arguments[] = {r->rdi, r->rsi, r->rdx, r->rcx,
				      r->r8,  r->r9,  r->rax, r->rbx};
	int code = hook == WIRE_HOOK_GS, call = hook != WIRE_HOOK_GS_CALL;

	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		code |= (uint32_t)arguments[i] == ARCH_SET_GS;
		call |= (uint32_t)arguments[i] == SYS_arch_prctl;
	}
	return code && call;
}

static int seal_holds(const struct wire_seal *seal)
{
	const uint8_t *there = (const uint8_t *)(uintptr_t)seal->address;

	if (!there || !is_readable(seal->address))
		return 0;
	for (size_t i = 0; i < sizeof(seal->bytes); i++)
		if (there[i] != seal->bytes[i])
			return 0;
	return 1;
}

int is_patched(const struct wire_undo *undo)
{
	return seal_holds(&undo->seals[0]) || seal_holds(&undo->seals[1]);
}

static int is_file(const struct wire_undo *undo, const struct file_status *status)
{
	return status->device == undo->device && status->inode == undo->inode &&
	       status->size == undo->size &&
	       status->modified[0] * 1000000000 + status->modified[1] ==
		       undo->modified_ns;
}

static void map_original(const struct wire_text *text, const struct wire_undo *undo)
{
	struct file_status status;
	uint64_t name[6] = {(uint64_t)(uintptr_t)undo->path, O_CLOEXEC, 0, 0, 0, 0};
	int64_t fd = system_call(SYS_open, name);

	if (fd < 0)
		return;
	uint64_t look[6] = {(uint64_t)fd, (uint64_t)(uintptr_t)&status, 0, 0, 0, 0};
	uint64_t map[6] = {text->start,           text->end - text->start,
			   PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			   (uint64_t)fd,          undo->file_offset};

	if (!system_call(SYS_fstat, look) && is_file(undo, &status))
		system_call(SYS_mmap, map);
	system_call(SYS_close, look);
}

/* Moves the mapping away with its pages, which have the patches; an unpatched mapping of
 * the file stays. */
static void move_pages(const struct wire_text *text)
{
	const uint64_t size = text->end - text->start;
	uint64_t move[6] = {text->start, size, size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP,
			    0,           0};
	int64_t moved = system_call(SYS_mremap, move);
	uint64_t drop[6] = {(uint64_t)moved, size, 0, 0, 0, 0};

	if (moved > 0)
		system_call(SYS_munmap, drop);
}

/* Takes back the texts that have patches. Each changes in one system call, at once for
 * all other threads, and what these do in trampolines leads back into the original. Where
 * that cannot be, the file is mapped; and where it is not there, pages are dropped, one
 * after the other. */
static void restore_texts(const struct wire_control *control)
{
	static const uint64_t advice[] = {MADV_DONTNEED, MADV_DONTNEED_LOCKED};

	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_text *text = &control->texts[i];
		const struct wire_undo *undo = &control->undos[i];

		if (!text->end)
			continue;
		if (is_patched(undo))
			move_pages(text);
		if (is_patched(undo))
			map_original(text, undo);
		for (size_t k = 0; k < 2 && is_patched(undo); k++) {
			uint64_t drop[6] = {
				text->start, text->end - text->start, advice[k], 0, 0, 0};

			system_call(SYS_madvise, drop);
		}
	}
}

/* The system call that a hooked function makes, if it is prctl(2) or syscall(2). */
struct call {
	uint64_t number, first, second, third;
};

static struct call call_of(uint32_t hook, const struct wire_registers *r)
{
	switch (hook) {
	case WIRE_HOOK_PRCTL:
		return (struct call){WIRE_SYS_PRCTL, r->rdi, r->rsi, r->rdx};
	case WIRE_HOOK_SYSCALL:
		return (struct call){r->rdi, r->rsi, r->rdx, r->rcx};
	default:
		return (struct call){UINT64_MAX, 0, 0, 0};
	}
}

/* Calls after which reading the time-stamp counter raises a signal, or no longer. */
static void see_clock(struct wire_bank *bank, const struct call *call)
{
	uint32_t what = (uint32_t)call->first, how = (uint32_t)call->second;

	if (call->number == WIRE_SYS_SECCOMP)
		bank->untimed |= what + 1 == WIRE_SECCOMP_STRICT;
	else if (call->number != WIRE_SYS_PRCTL)
		return;
	else if (what == WIRE_PR_SET_SECCOMP)
		bank->untimed |= how == WIRE_SECCOMP_STRICT;
	else if (what == PR_SET_TSC)
		bank->untimed = how == PR_TSC_SIGSEGV;
}

/*
 * Handles a hook without a tracer. The program may be about to write to its code, and
 * must find it as in its files: otherwise changes to a patched entry would have no
 * effect. If the tracer died while the program was loaded, libraries loaded later have no
 * hooks: so the loader's hook is the last chance.
 */
void resident_alone(const struct wire_control *control,
		    const struct wire_registers *frame)
{
	uint32_t number = (uint32_t)((const uint64_t *)(frame + 1))[1];

	const struct call call = call_of(number, frame);

	see_clock(own_bank(), &call);
	if (number >= WIRE_HOOK_MPROTECT ||
	    (number == WIRE_HOOK_SYSCALL && call_changes_code(frame)) ||
	    (number == WIRE_HOOK_LINK_MAP && tracer_died(control))) {
		restore_texts(control);
		look_through(own_bank(), frame);
	}
}

const struct wire_way *way_around(const struct wire_ways *ways, uint64_t address)
{
	const struct wire_way *rows = wire_ways_rows(ways);
	uint64_t low = 0, high = ways->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - rows[low - 1].address >= rows[low - 1].size)
		return NULL;
	return &rows[low - 1];
}

/* The address to which the instruction at a link-time address was moved; 0: its original
 * can be run. At the entry that is a jump. */
static uint64_t moved_to(const struct wire_ways *ways, uint64_t address)
{
	const struct wire_step *steps = wire_ways_steps(ways);
	const struct wire_way *way = way_around(ways, address);
	uint64_t original, code;

	if (!way || way->address == address)
		return 0;
	original = way->address;
	code = ways->code + way->code;
	for (uint32_t i = 0; i < way->map_row_count; i++) {
		const struct wire_step *step = &steps[way->first_map_row + i];

		if (original == address && step->kind != WIRE_STEP_AWAY && step->original)
			return step->kind == WIRE_STEP_MOVED ? code : 0;
		original += (uint64_t)(int64_t)wire_step_original(*step);
		code += wire_step_code(*step);
	}
	return 0;
}

/* Whether the patch is there still, as far as it lies in the page of the instruction,
 * which is about to be executed: its text may be the original again, or another one. */
static int lead_covers(const struct wire_lead *lead)
{
	uint64_t page = lead->original & ~0xfffull;

	for (uint64_t i = 0; i < lead->size; i++)
		if (lead->patch + i >= page && lead->patch + i < page + 0x1000 &&
		    *(const uint8_t *)(uintptr_t)(lead->patch + i) != lead->bytes[i])
			return 0;
	return 1;
}

/* The address where an instruction that is covered by a patch continues; 0: it is not
 * covered. */
static uint64_t led_to(const struct wire_control *control, uint64_t address)
{
	for (uint64_t i = 0; i < control->lead_count && i < WIRE_LEADS_MAX; i++) {
		const struct wire_lead *lead = &control->leads[i];

		if (address && lead->original == address && lead_covers(lead))
			return lead->code;
	}
	return 0;
}

/* The new address of an instruction in a function that was relocated whole; 0: none. */
static uint64_t way_of(const struct wire_control *control, uint64_t address)
{
	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_text *text = &control->texts[i];
		const struct wire_ways *ways =
			(const struct wire_ways *)(uintptr_t)control->undos[i].ways;

		if (address >= text->start && address < text->end && ways)
			return moved_to(ways, address - ways->bias);
	}
	return 0;
}

/* The row of the handler that interrupted the thread with this stack pointer; NULL if
 * there is none. With the tracer dead a row that was used is not used again: another
 * handler may have this stack pointer, and there is no row for it. */
static struct wire_shown *find_shown(struct wire_bank *bank,
				     const struct wire_control *control, uint64_t rsp)
{
	for (uint64_t i = bank->shown_count; i-- > 0;) {
		struct wire_shown *shown = &bank->shown[i % WIRE_SHOWN];

		if (shown->rsp == rsp)
			return shown->went && tracer_died(control) ? NULL : shown;
	}
	return NULL;
}

/* The kernel's struct ucontext, from which rt_sigreturn takes the registers: rsp is at
 * offset 0xa0, then rip and the flags (asm/ucontext.h, asm/sigcontext.h). If a signal
 * comes meanwhile, all of this is repeated, with the same result. */
void resident_way_back(uint64_t *context)
{
	uint64_t *rsp = &context[0xa0 / sizeof(uint64_t)], *rip = rsp + 1;
	const struct wire_control *control =
		(const struct wire_control *)(uintptr_t)own_bank()->control;
	struct wire_shown *shown = find_shown(own_bank(), control, *rsp);
	uint64_t moved = shown && shown->rip == *rip ? shown->code : 0;

	if (!moved)
		moved = way_of(control, *rip);
	if (!moved)
		moved = led_to(control, *rip);
	if (!moved)
		moved = *rip;
	if (shown && !shown->went)
		shown->went = moved;
	if (rip[1] & WIRE_TRAP_FLAG) {
		own_bank()->stepped = *rip;
		own_bank()->stepped_code = moved;
	}
	*rip = moved;
}

/* The latch is entered anew: its function is planned by now. */
static void go_again(const struct wire_registers *frame)
{
	*(uint64_t *)(uintptr_t)(frame + 1) += WIRE_AGAIN_BYTES;
}

void ask_quietly(struct wire_bank *bank, const struct wire_registers *frame)
{
	struct wire_control *control = (struct wire_control *)(uintptr_t)bank->control;
	uint32_t reply = WIRE_NONE, looks = 0;

	if (bank->quiet == WIRE_QUIET_ALONE)
		return;
	copy_registers(&bank->registers, frame);
	bank->number = WIRE_HOOK_LAZY;
	__atomic_store_n(&bank->reply, WIRE_NONE, __ATOMIC_RELEASE);
	__atomic_store_n(&bank->request, WIRE_POSTED, __ATOMIC_RELEASE);
	__atomic_fetch_add(&control->doorbell, 1, __ATOMIC_RELEASE);
	for (uint32_t i = 0; !reply && i < QUIET_LOOKS && !tracer_died(control); i++) {
		__builtin_ia32_pause();
		reply = __atomic_exchange_n(&bank->reply, WIRE_NONE, __ATOMIC_ACQUIRE);
		if (!reply && went_elsewhere(bank, &looks, IDLE_LOOKS))
			break;
	}
	__atomic_store_n(&bank->request, WIRE_IDLE, __ATOMIC_RELEASE);
	if (reply == WIRE_AGAIN)
		go_again(frame);
}

/*
 * A hook's body, on the stack in the bank, with signals blocked. From the moment that the
 * program installs a system call filter it makes no system call of ours: hooks are
 * silent.
 */
void resident_serve(struct wire_bank *bank, const struct wire_registers *frame)
{
	const uint64_t *behind = (const uint64_t *)(frame + 1);

	copy_registers(&bank->registers, frame);
	bank->number = (uint32_t)behind[1];
	struct wire_control *control = (struct wire_control *)(uintptr_t)bank->control;
	const struct call call = call_of(bank->number, &bank->registers);

	see_clock(bank, &call);
	if (wire_call_installs(call.number, call.first, call.second, call.third)) {
		look_know_stack(bank, frame->rsp);
		if (wire_call_is_for_all(call.number, call.second))
			ask_tracer(bank);
		control->unfiltered = 0;
		bank->quiet = 1;
		return;
	}

	if ((bank->number == WIRE_HOOK_PRCTL &&
	     !wire_call_dispatches(call.number, call.first, call.second)) ||
	    (bank->number == WIRE_HOOK_EXIT && !control->watch_exit) ||
	    (bank->number == WIRE_HOOK_SYSCALL && !call_matters(&bank->registers) &&
	     !call_drops_text(control, &bank->registers)) ||
	    (bank->number == WIRE_HOOK_ARCH &&
	     (bank->registers.rdi & 0xffffffff) != ARCH_SET_GS) ||
	    (bank->number >= WIRE_HOOK_GS && bank->number <= WIRE_HOOK_GS_CALL &&
	     !may_set_gs(bank->number, &bank->registers)))
		return;

	const enum wire_reply reply = ask_tracer(bank);

	if (reply == WIRE_ALONE)
		resident_alone(control, frame);
	if (reply == WIRE_AGAIN)
		go_again(frame);
}
