#include "runtime/channel/stack.h"
#include "base/page.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"
#include "runtime/store/state.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGES_AT_ONCE = 64, PAGES_MOST = 2048 };

#pragma weak __libc_stack_end
extern void *__libc_stack_end;

/* _dl_find_object, which older C libraries have not. */
static int (*find_object)(void *pc, struct dl_find_object *ret_object);

bool stack_is_possible(void)
{
	if (!find_object)
		*(void **)&find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
	return find_object != NULL;
}

bool stack_find_code(uint64_t address, struct dl_find_object *ret_object)
{
	return find_object && !find_object((void *)(uintptr_t)address, ret_object);
}

struct stack_walker *stack_walker_create(void)
{
	return runtime_map(sizeof(struct stack_walker));
}

void stack_walker_destroy(struct stack_walker *walker)
{
	if (walker)
		runtime_unmap(walker, sizeof(*walker));
}

/* Where the thread's stack ends: that of the first thread where the C library says,
 * others right below the thread's descriptor (nptl/allocatestack.c). 0: this is another
 * stack, of a handler or a coroutine. */
static uint64_t top_of(uint64_t place)
{
	const uint64_t most = (uint64_t)PAGES_MOST * PAGE;
	uint64_t tops[2] = {(uint64_t)__builtin_thread_pointer(), 0};

	if (&__libc_stack_end)
		tops[1] = (uint64_t)__libc_stack_end;
	for (int i = 0; i < 2; i++)
		if (place < tops[i] && tops[i] - place < most)
			return tops[i] & ~7ull;
	return 0;
}

/* Whether there is a byte in each of the pages. */
static bool has_pages(uint64_t from, uint64_t end)
{
	char bytes[PAGES_AT_ONCE];
	struct iovec here = {bytes, 0}, there[PAGES_AT_ONCE];

	while (from < end) {
		size_t count = 0;

		for (; from < end && count < PAGES_AT_ONCE; from += PAGE)
			there[count++] = (struct iovec){(void *)from, 1};
		here.iov_len = count;
		if (syscall(SYS_process_vm_readv, getpid(), &here, 1ul, there, count,
			    0ul) != (long)count)
			return false;
	}
	return true;
}

/* What is known of the stack reaches down to the place, if the place is on it. */
static void reach_place(struct stack_walker *walker, uint64_t place)
{
	uint64_t low = page_start(place), top, end;

	if ((low >= walker->low && place < walker->high) || runtime_sealed)
		return;
	top = top_of(place);
	if (!top)
		return;
	end = top == walker->high ? walker->low : page_round_up(top);
	if (!has_pages(low, end))
		return;
	walker->low = low;
	walker->high = top;
}

static __attribute__((no_sanitize_address)) bool
read_word(void *context, uint64_t address, uint64_t *ret_word)
{
	const struct stack_walker *walker = context;
	struct iovec here = {ret_word, sizeof(*ret_word)};
	struct iovec there = {(void *)address, sizeof(*ret_word)};

	if (likely(address >= walker->low && address < walker->high &&
		   walker->high - address >= sizeof(*ret_word))) {
		memcpy(ret_word, (const void *)address, sizeof(*ret_word));
		return true;
	}
	return !runtime_sealed && syscall(SYS_process_vm_readv, getpid(), &here, 1ul,
					  &there, 1ul, 0ul) == sizeof(*ret_word);
}

/* The segment that a module's tables lie in; the module's own headers say where it is. */
static bool find_segment(const struct dl_find_object *object,
			 struct unwind_tables *tables)
{
	const ElfW(Ehdr) *head = object->dlfo_map_start;
	const ElfW(Phdr) * segments;

	if (memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_phoff > PAGE ||
	    head->e_phnum > PAGE / sizeof(*segments))
		return false;
	segments = (const void *)((const char *)head + head->e_phoff);
	for (unsigned i = 0; i < head->e_phnum; i++) {
		uint64_t start = object->dlfo_link_map->l_addr + segments[i].p_vaddr;

		if (segments[i].p_type != PT_LOAD ||
		    tables->header - start >= segments[i].p_filesz)
			continue;
		tables->start = start;
		tables->end = start + segments[i].p_filesz;
		tables->bytes = (const uint8_t *)start;
		return true;
	}
	return false;
}

static void look_up(struct stack_code *code, uint64_t pc)
{
	struct dl_find_object object;
	struct unwind_tables tables;

	code->known = code->own = code->in_module = false;
	if (find_object((void *)pc, &object))
		return;
	code->in_module = true;
	tables.header = (uint64_t)object.dlfo_eh_frame;
	code->own = strstr(object.dlfo_link_map->l_name, "/libtrammel") != NULL;
	code->known = tables.header && find_segment(&object, &tables) &&
		      unwind_find_rule(&tables, pc, &code->rule);
	code->plain = code->known && unwind_is_plain(&code->rule, &code->rbp);
}

static inline uint64_t cache_place(uint64_t pc)
{
	return pc * 0x9e3779b97f4a7c15u >> 32 & (STACK_CACHE - 1);
}

/* The next frame of the stack is in the function at this address. */
static inline const struct stack_code *add_frame(struct stack_walker *walker, uint64_t pc)
{
	struct stack_code *code = &walker->cache[cache_place(pc)];

	if (unlikely(code->pc != pc)) {
		code->pc = 0;
		look_up(code, pc);
		code->pc = pc;
	}
	if (code->own && walker->skipped == walker->count)
		walker->skipped++;
	if (code->in_module)
		walker->frames[walker->count++] = pc;
	return code;
}

/* Each frame is asked for once, so what is asked for is the stack. */
static bool find_rule(void *context, uint64_t pc, struct unwind_rule *ret_rule)
{
	struct stack_walker *walker = context;
	const struct stack_code *code;

	if (walker->count == STACK_FRAMES)
		return false;
	code = add_frame(walker, pc);
	*ret_rule = code->rule;
	return code->known;
}

/* The same as unwind_walk, of a stack whose frames are plain, on what is known of the
 * thread's stack. False: it is not so. */
static __attribute__((no_sanitize_address)) bool
walk_plain(struct stack_walker *walker, const struct unwind_place *place)
{
	uint64_t pc = place->pc - !place->exact, frame;
	uint64_t rsp = place->registers[UNWIND_RSP], rbp = place->registers[UNWIND_RBP];

	while (walker->count < STACK_FRAMES) {
		const struct stack_code *code = add_frame(walker, pc);
		uint64_t at;

		if (!code->plain)
			return !code->known || code->rule.outermost;
		frame = code->rule.base == UNWIND_RBP ? rbp : rsp;
		frame += (uint64_t)(int64_t)code->rule.offset;
		at = frame + (uint64_t)(int64_t)code->rbp;
		if (frame - sizeof(pc) < rsp || rsp < walker->low ||
		    frame > walker->high || frame % sizeof(pc))
			return false;
		if (code->rbp && (at < walker->low || at > walker->high - sizeof(rbp)))
			return false;
		if (code->rbp)
			memcpy(&rbp, (const void *)at, sizeof(rbp));
		pc = *(const uint64_t *)(frame - sizeof(pc)) - 1;
		rsp = frame;
	}
	return true;
}

static void walk_frames(struct stack_walker *walker, const struct unwind_place *place)
{
	const struct unwind_view view = {
		.context = walker,
		.find_rule = find_rule,
		.read = read_word,
		.read_return = read_word,
	};
	int saved = errno;

	walker->count = walker->skipped = 0;
	reach_place(walker, place->registers[UNWIND_RSP]);
	if (!walk_plain(walker, place)) {
		walker->count = walker->skipped = 0;
		unwind_walk(&view, *place);
	}
	errno = saved;
}

__attribute__((noinline)) void trm_runtime_walk_here(struct stack_walker *walker)
{
	struct unwind_place place = {.exact = true};
	uint64_t *registers = place.registers;

	__asm__ volatile("leaq 0f(%%rip), %%rax\n"
			 "0:\tmovq %%rax, %0\n\tmovq %%rbx, %1\n\tmovq %%rbp, %2\n"
			 "\tmovq %%rsp, %3\n\tmovq %%r12, %4\n\tmovq %%r13, %5\n"
			 "\tmovq %%r14, %6\n\tmovq %%r15, %7\n"
			 : "=m"(place.pc), "=m"(registers[UNWIND_RBX]),
			   "=m"(registers[UNWIND_RBP]), "=m"(registers[UNWIND_RSP]),
			   "=m"(registers[UNWIND_R12]), "=m"(registers[UNWIND_R12 + 1]),
			   "=m"(registers[UNWIND_R12 + 2]),
			   "=m"(registers[UNWIND_R12 + 3])
			 :
			 : "rax");
	walk_frames(walker, &place);
}

void trm_runtime_walk_signal(struct stack_walker *walker, const ucontext_t *context)
{
	/* By the numbers of figure 3.36 of the System V ABI for AMD64. */
	static const uint8_t order[UNWIND_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	struct unwind_place place = {.pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP],
				     .exact = true};

	for (int i = 0; i < UNWIND_REGISTERS; i++)
		place.registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	walk_frames(walker, &place);
}

bool stack_walk_is_whole(const struct stack_walker *walker)
{
	uint64_t last = walker->count ? walker->frames[walker->count - 1] : 0;
	const struct stack_code *code = &walker->cache[cache_place(last)];

	return last && code->pc == last && code->known && code->rule.outermost;
}
