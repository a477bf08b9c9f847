#include "session/position/stretches.h"

#include "control/inject.h"
#include "control/processor.h"
#include "control/remote.h"
#include "image/headers.h"
#include "session/state/generated_code.h"
#include "session/position/stretch_values.h"
#include "session/position/thread_region.h"
#include "session/state/module.h"
#include "wire/bank.h"
#include "wire/control.h"

#include <signal.h>
#include <string.h>

enum {
	ORIGINAL_MAX = 4096, /* bytes of originals that are compared */
	MADE_MAX = 8192,     /* stretches that are kept */
};

/* In the order of processors' numbers. */
static const size_t places[16] = {
	offsetof(struct user_regs_struct, rax), offsetof(struct user_regs_struct, rcx),
	offsetof(struct user_regs_struct, rdx), offsetof(struct user_regs_struct, rbx),
	offsetof(struct user_regs_struct, rsp), offsetof(struct user_regs_struct, rbp),
	offsetof(struct user_regs_struct, rsi), offsetof(struct user_regs_struct, rdi),
	offsetof(struct user_regs_struct, r8),  offsetof(struct user_regs_struct, r9),
	offsetof(struct user_regs_struct, r10), offsetof(struct user_regs_struct, r11),
	offsetof(struct user_regs_struct, r12), offsetof(struct user_regs_struct, r13),
	offsetof(struct user_regs_struct, r14), offsetof(struct user_regs_struct, r15),
};

static uint64_t *register_of(struct user_regs_struct *registers, unsigned int number)
{
	return (uint64_t *)(void *)((char *)registers + places[number]);
}

static uint64_t slot_address(const struct arena *arena, uint32_t slot)
{
	return arena->address + WIRE_STRETCH_CODE + (uint64_t)slot * WIRE_STRETCH_SIZE;
}

static uint64_t *words_of(const struct thread *thread)
{
	const struct arena *arena = thread->process->space->family->arena;

	return arena->control->stretches[thread->values.slot].words;
}

static void free_made(struct made_stretch *made)
{
	stretch_deinit(&made->stretch);
	free(made);
}

/* The thread is in no stretch any more. */
static void let_go(struct thread *thread)
{
	struct made_stretch *made = thread->values.made;

	thread->process->space->family->stretches &= ~(1ull << thread->values.slot);
	thread->values.made = NULL;
	if (!--made->users && made->dropped)
		free_made(made);
}

/* Whether a module's code at a link-time address is mapped writable: then it may change
 * while it runs. */
static bool is_writable(const struct module_file *file, uint64_t address)
{

	struct headers headers;
	Elf64_Phdr segment;

	if (!file->bytes ||
	    !headers_open(file->bytes, (size_t)file->identity.size, &headers))
		return true;
	for (unsigned int i = 0; headers_read(&headers, i, &segment); i++)
		if (segment.p_type == PT_LOAD &&
		    address - segment.p_vaddr < segment.p_memsz)
			return segment.p_flags & PF_W;
	return true;
}

/* Whose code is read. */
struct reader {
	struct session *session;
	struct space *space;
	pid_t tid;
	bool calls; /* stretches may make system calls */
};

/* How many bytes of code from an address on may be copied: files' text, relocated code,
 * and what programs make themselves; not the resident's. */
static size_t copyable_bytes(const struct reader *reader, uint64_t address,
			     bool *ret_changes)
{
	const struct space *space = reader->space;
	const struct module *module = space_module_of_code(space, address);

	*ret_changes = false;
	if (module)
		return module->code_address + module->code_size - address;
	vector_for_each (&space->modules, text) {
		if (!module_holds_text(text, address))
			continue;
		*ret_changes = is_writable(text->file, address - text->bias);
		return text->text_end - address;
	}
	*ret_changes = true;
	return generated_code_bytes(reader->session, reader->space, reader->tid, address);
}

static size_t read_code(void *context, uint64_t address, uint8_t *bytes, size_t size,
			bool *ret_changes)
{
	const struct reader *reader = context;
	const struct space *space = reader->space;
	const size_t room = copyable_bytes(reader, address, ret_changes);

	size = size < room ? size : room;
	if (!size || remote_failed(remote_read(space->memory_fd, address, bytes, size)))
		return 0;
	return size;
}

/* Reads all parts by one read, if they lie together. Returns where its first byte was;
 * 0: they do not. */
static uint64_t read_parts(const struct space *space, const struct stretch *stretch,
			   uint8_t bytes[ORIGINAL_MAX])
{
	uint64_t start = UINT64_MAX, end = 0;

	vector_for_each (&stretch->parts, part) {
		start = part->address < start ? part->address : start;
		end = part->address + part->size > end ? part->address + part->size : end;
	}
	if (end - start > ORIGINAL_MAX ||
	    remote_failed(remote_read(space->memory_fd, start, bytes, end - start)))
		return 0;
	return start;
}

static bool is_current(const struct space *space, const struct stretch *stretch)
{
	uint8_t bytes[ORIGINAL_MAX];
	const uint64_t start = read_parts(space, stretch, bytes);

	vector_for_each (&stretch->parts, part)
		if (start &&
		    memcmp(bytes + (part->address - start),
			   stretch->original.items + part->first, part->size) != 0)
			return false;
	if (start)
		return true;
	vector_for_each (&stretch->parts, part) {
		if (part->size > sizeof(bytes) ||
		    remote_failed(remote_read(space->memory_fd, part->address, bytes,
					      part->size)) ||
		    memcmp(bytes, stretch->original.items + part->first, part->size) != 0)
			return false;
	}
	return true;
}

/* Threads may still be in some of them. */
static void drop_all(struct values_state *values)
{
	vector_for_each (&values->list, made) {
		(*made)->dropped = true;
		if (!(*made)->users)
			free_made(*made);
	}
	values->list.count = 0;
	table_deinit(&values->made);
	values->made = (struct table){0};
}

static struct made_stretch *make_new(struct reader *reader, uint64_t address)
{
	const struct session_values *options = &reader->session->options->values;
	const struct stretch_request request = {
		.address = address,
		.length = (uint32_t)options->length,
		.distance = WIRE_STRETCH_DISTANCE,
		.ticks = options->want[VALUE_KIND_LATENCY],
		.calls = reader->calls,
		.read = read_code,
		.context = reader,
	};
	struct made_stretch *made = memory_allocate_zeroed(1, sizeof(*made));

	if (stretch_make(&request, &made->stretch))
		return made;
	free(made);
	return NULL;
}

/* The stretch from an address on, as the code is now; NULL: there is none. */
static struct made_stretch *find_stretch(struct reader *reader, uint64_t address)
{
	struct values_state *values = &reader->session->values;
	const struct space *space = reader->space;
	const uint64_t key[] = {(uint64_t)(uintptr_t)space->family->arena, address,
				reader->calls};
	const uint64_t hash = hash_bytes(key, sizeof(key));
	uint64_t *place = table_insert(&values->made, hash, NULL);
	struct made_stretch *made = (struct made_stretch *)(uintptr_t)*place;

	if (made && is_current(space, &made->stretch))
		return made;
	/* An old one stays in the list until all are dropped. */
	if (values->list.count >= MADE_MAX) {
		drop_all(values);
		place = table_insert(&values->made, hash, NULL);
	}
	made = make_new(reader, address);
	*place = (uint64_t)(uintptr_t)made;
	if (made)
		vector_push(&values->list, made);
	return made;
}

bool stretches_are_alone(const struct session *session)
{
	const struct session_options *options = session->options;

	return !collector_relocates(options->collector) && !options->points.count &&
	       !options->tools.count;
}

/* As find_stretch. Filters, and a thread that has its calls sent back as signals, may see
 * where a call is made: then none is. */
static struct made_stretch *find_allowed(struct reader *reader, uint64_t address)
{
	struct made_stretch *made;

	reader->calls = stretches_are_alone(reader->session);
	made = find_stretch(reader, address);
	if (!made || !made->stretch.calls ||
	    (!remote_filters(reader->tid) && !inject_dispatches(reader->tid)))
		return made;
	reader->calls = false;
	return find_stretch(reader, address);
}

/* Whether the thread executes code of the program, and nothing is to happen to it. */
static bool can_enter(const struct session *session, const struct thread *thread,
		      const struct user_regs_struct *registers)
{
	const struct space *space = thread->process->space;

	return space && space->family && !space->bare && !space->starting &&
	       !space->holding && thread->state == THREAD_RUNNING &&
	       !thread->event_pending && !thread->leaving && !thread->values.made &&
	       session->window.state == WINDOW_OPEN && registers->cs == CODE_SEGMENT &&
	       (int64_t)registers->orig_rax < 0 && !(registers->eflags & WIRE_TRAP_FLAG);
}

/* The number of the region in which a thread is, plus 1; 0: it is not known. */
static uint32_t region_of(struct session *session, const struct thread *thread)
{
	struct string_table *regions = &session->values.regions;
	char path[WIRE_PROBE_PATH + 1];
	uint32_t number;

	if (!session->options->context.what)
		return 0;
	thread_region_encode(thread, path);
	if (string_table_find(regions, path, &number))
		return number + 1;
	if (regions->count >= VALUE_REGIONS_MAX)
		return 0;
	return string_table_intern(regions, path) + 1;
}

static void note_start(struct session *session, struct thread *thread,
		       struct user_regs_struct *registers)
{
	struct thread_values *own = &thread->values;

	for (unsigned int i = 0; i < 16; i++)
		own->registers[i] = *register_of(registers, i);
	own->fs_base = registers->fs_base;
	own->gs_base = registers->gs_base;
	own->region = region_of(session, thread);
	own->taken = false;
}

void stretches_enter(struct session *session, struct thread *thread)
{
	struct user_regs_struct registers;
	struct space *space = thread->process->space;
	struct reader reader = {.session = session, .space = space, .tid = thread->tid};
	struct made_stretch *made;
	bool changes;

	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	session->values.in_calls += (int64_t)registers.orig_rax >= 0;
	if (!can_enter(session, thread, &registers))
		return;
	if (space->family->stretches == ~0ull) {
		session->values.crowded++;
		return;
	}
	made = copyable_bytes(&reader, registers.rip, &changes)
		       ? find_allowed(&reader, registers.rip)
		       : NULL;
	if (!made) {
		session->values.elsewhere++;
		return;
	}
	const uint32_t slot = (uint32_t)__builtin_ctzll(~space->family->stretches);
	struct arena *arena = space->family->arena;

	if (remote_failed(arena_write_stretch(arena, slot, made->stretch.code.items,
					      made->stretch.code.count)))
		return;
	note_start(session, thread, &registers);
	thread->values.slot = slot;
	arena->control->stretches[slot].words[STRETCH_WORD_END] = 0;
	registers.rip = slot_address(arena, slot);
	if (remote_failed(remote_set_registers(thread->tid, &registers)))
		return;
	space->family->stretches |= 1ull << slot;
	thread->values.made = made;
	made->users++;
	session->values.stretches++;
	session->values.generated += changes;
}

/* The signals that an instruction raises tell its address, too. */
static void mend_signal(const struct thread *thread, uint64_t before, uint64_t now)
{
	siginfo_t info;

	if (remote_failed(remote_get_signal(thread->tid, &info)) || info.si_code <= 0 ||
	    (uint64_t)(uintptr_t)info.si_addr != before ||
	    (info.si_signo != SIGILL && info.si_signo != SIGFPE &&
	     info.si_signo != SIGTRAP && info.si_signo != SIGSEGV))
		return;
	info.si_addr = (void *)(uintptr_t)now;
	trm_error_destroy(remote_set_signal(thread->tid, &info));
}

/* Whether a thread stopped for a fault of a load that its own code does not make. */
static bool is_own_fault(const struct thread *thread, const struct stretch_row *row)
{
	siginfo_t info;

	return row->own && !remote_failed(remote_get_signal(thread->tid, &info)) &&
	       info.si_code > 0 && info.si_code != SI_KERNEL &&
	       (info.si_signo == SIGSEGV || info.si_signo == SIGBUS);
}

bool stretches_take_fault(struct thread *thread)
{
	const bool own = thread->values.own_fault;

	thread->values.own_fault = false;
	return own;
}

void stretches_see_stop(struct session *session, struct thread *thread)
{
	const struct made_stretch *made = thread->values.made;
	struct user_regs_struct registers;
	const struct stretch_row *row;

	if (!made || remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	const struct arena *arena = thread->process->space->family->arena;
	const uint64_t before = registers.rip,
		       offset = before - slot_address(arena, thread->values.slot);
	const uint64_t *words = words_of(thread);

	row = stretch_row_at(&made->stretch, offset);
	if (!row) {
		stretches_look(session, thread);
		let_go(thread);
		return;
	}
	if (row->called)
		registers.rcx = row->address;
	registers.rip = row->by_target ? words[STRETCH_WORD_TARGET] : row->address;
	for (unsigned int i = 0; i < 16; i++)
		if (row->saved >> i & 1)
			*register_of(&registers, i) = words[STRETCH_WORD_SAVED + i];
	trm_error_destroy(remote_set_registers(thread->tid, &registers));
	thread->values.own_fault = is_own_fault(thread, row);
	mend_signal(thread, before, registers.rip);
	if (!thread->values.taken)
		stretch_values_take(session, thread, words,
				    &(struct stretch_end){
					    .last = row->last,
					    .by_target = row->by_target,
					    .next = row->address,
				    });
	session->values.cut_short++;
	let_go(thread);
}

void stretches_look(struct session *session, struct thread *thread)
{
	const struct made_stretch *made = thread->values.made;
	uint64_t number;

	if (!made || thread->values.taken)
		return;
	number = __atomic_load_n(&words_of(thread)[STRETCH_WORD_END], __ATOMIC_ACQUIRE);
	if (!number || number > made->stretch.ends.count)
		return;
	const struct stretch_end *end = &made->stretch.ends.items[number - 1];

	stretch_values_take(session, thread, words_of(thread), end);
	session->values.ended[end->why]++;
	thread->values.taken = true;
}

void stretches_end(struct session *session, struct thread *thread)
{
	session->values.kept -= thread->values.stat != 0;
	processor_forget(&thread->values.stat);
	if (!thread->values.made)
		return;
	stretches_look(session, thread);
	let_go(thread);
}
