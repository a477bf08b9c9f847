#include "session/tool/tool_load.h"

#include "base/cleanup.h"
#include "base/library.h"
#include "base/path.h"
#include "base/text.h"
#include "control/remote.h"
#include "session/thread/injection.h"
#include "session/tool/tool_run.h"
#include "session/tool/tool_scratch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u

/* The pool lies below the arena, which has nothing of the program's below it; and the
 * program is given nothing there, since the kernel begins above. */
#define POOL_SIZE (32ull << 30)

/* The stack on which the tools are loaded, and routines of the first thread run. */
#define STACK_SIZE (1ull << 20)
#define STACK_GAP  (64u << 10) /* nothing is mapped below it */

/* Memory for tools where a filter may forbid to map more. */
#define RESERVE_SIZE (16ull << 20)

/* How long loading may take. */
#define LOAD_MS 60000

#define SEGMENTS_MAX 12

/* A file, mapped in the tracer. */
struct elf_bytes {
	const uint8_t *bytes;
	size_t size;
};

static struct trm_error *map_file(const char *path, struct elf_bytes *ret_file)
{
	struct stat status;
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &status))
		return trm_error_system(errno, "cannot open \"%s\"", path);

	void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return trm_error_system(errno, "cannot map \"%s\"", path);
	*ret_file = (struct elf_bytes){bytes, (size_t)status.st_size};
	return NULL;
}

static void unmap_file(struct elf_bytes *file)
{
	if (file->bytes)
		munmap((void *)(uintptr_t)file->bytes, file->size);
}

/* The program header at `index` of an ELF file; NULL: it has no such. */
static const Elf64_Phdr *segment_at(const struct elf_bytes *file, size_t index)
{
	const Elf64_Ehdr *header = (const void *)file->bytes;

	if (file->size < sizeof(*header) || index >= header->e_phnum ||
	    header->e_phoff > file->size ||
	    (index + 1) * sizeof(Elf64_Phdr) > file->size - header->e_phoff)
		return NULL;
	return (const Elf64_Phdr *)(const void *)(file->bytes + header->e_phoff) + index;
}

/* Copies the path of the dynamic loader that a program names. */
static bool find_interpreter(const struct elf_bytes *file, char *path, size_t capacity)
{
	const Elf64_Phdr *segment;

	for (size_t i = 0; (segment = segment_at(file, i)); i++) {
		if (segment->p_type != PT_INTERP || segment->p_offset > file->size ||
		    segment->p_filesz > file->size - segment->p_offset ||
		    !segment->p_filesz || segment->p_filesz > capacity)
			continue;
		memcpy(path, file->bytes + segment->p_offset, segment->p_filesz);
		path[segment->p_filesz - 1] = '\0';
		return true;
	}
	return false;
}

/* Finds the dynamic loader for the tools: that of the program that loads them. */
static struct trm_error *open_loader(const char *host, char *path, size_t capacity,
				     struct elf_bytes *ret_loader)
{
	struct elf_bytes file = {0};
	struct trm_error *error = map_file(host, &file);

	if (!error && !find_interpreter(&file, path, capacity))
		error = trm_error_create(TRM_ERROR_FORMAT,
					 "\"%s\" names no dynamic loader", host);
	unmap_file(&file);
	return error ? error : map_file(path, ret_loader);
}

static int rights_of(const Elf64_Phdr *segment)
{
	return (segment->p_flags & PF_R ? PROT_READ : 0) |
	       (segment->p_flags & PF_W ? PROT_WRITE : 0) |
	       (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

/* Adds a mapping of new memory in a place where nothing is. */
static void add_memory(struct wire_batch *batch, uint64_t start, uint64_t end, int rights)
{
	start &= ~(uint64_t)(PAGE - 1);
	end = (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	BATCH_ADD(batch, SYS_mmap, start, end - start, (uint64_t)rights,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
		  UINT64_MAX, 0);
}

static struct trm_error *run_batch(struct session *session, struct thread *thread,
				   struct wire_batch *batch)
{
	TRM_TRY(tool_scratch_run(session, thread, batch));
	for (uint32_t i = 0; i < batch->count; i++)
		if (batch->calls[i].result < 0)
			return trm_error_system((int)-batch->calls[i].result,
						"no memory for tools in the program");
	return NULL;
}

/* Maps the loader at `bias`, and the stack. */
static struct trm_error *place_loader(struct session *session, struct thread *thread,
				      const struct elf_bytes *loader, uint64_t bias)
{
	const struct space *space = thread->process->space;
	const uint64_t stack = space->tools->pool + STACK_GAP;
	struct wire_batch batch = {0};
	const Elf64_Phdr *segment;

	add_memory(&batch, stack, stack + STACK_SIZE, PROT_READ | PROT_WRITE);
	add_memory(&batch, space->tools->reserve, space->tools->reserve_end,
		   PROT_READ | PROT_WRITE);
	for (size_t i = 0; (segment = segment_at(loader, i)); i++)
		if (segment->p_type == PT_LOAD && batch.count < SEGMENTS_MAX)
			add_memory(&batch, bias + segment->p_vaddr,
				   bias + segment->p_vaddr + segment->p_memsz,
				   rights_of(segment));
	TRM_TRY(run_batch(session, thread, &batch));
	for (size_t i = 0; (segment = segment_at(loader, i)); i++) {
		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_offset > loader->size ||
		    segment->p_filesz > loader->size - segment->p_offset)
			return trm_error_create(TRM_ERROR_FORMAT,
						"the dynamic loader is cut short");
		TRM_TRY(remote_write(space->memory_fd, bias + segment->p_vaddr,
				     loader->bytes + segment->p_offset,
				     segment->p_filesz));
	}
	return NULL;
}

static uint64_t extent_of(const struct elf_bytes *loader)
{
	const Elf64_Phdr *segment;
	uint64_t end = 0;

	for (size_t i = 0; (segment = segment_at(loader, i)); i++)
		if (segment->p_type == PT_LOAD &&
		    segment->p_vaddr + segment->p_memsz > end)
			end = segment->p_vaddr + segment->p_memsz;
	return (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* The words at the start of a program's stack, and the strings above them. */
struct initial_stack {
	struct VECTOR(uint64_t) words;
	struct VECTOR(char) strings;
	uint64_t strings_at; /* address that they will have */
};

static uint64_t add_bytes(struct initial_stack *stack, const void *bytes, size_t size)
{
	const uint64_t at = stack->strings_at + stack->strings.count;

	for (size_t i = 0; i < size; i++)
		vector_push(&stack->strings, ((const char *)bytes)[i]);
	return at;
}

static void push_string(struct initial_stack *stack, const char *text)
{
	const uint64_t at = add_bytes(stack, text, strlen(text) + 1);

	vector_push(&stack->words, at);
}

/* Variables of the dynamic loader and the C library are meant for programs. */
static bool is_for_programs(const char *variable)
{
	static const char *const starts[] = {"LD_", "GLIBC_TUNABLES=", "MALLOC_"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(variable, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* A loader that has been mapped. */
struct placed_loader {
	const struct elf_bytes *file;
	uint64_t bias; /* run-time minus link-time address */
	bool vdso;     /* the kernel's code lies where the program has it */
};

/* The auxiliary vector is the program's but for what tells of its own loading. */
static void push_auxiliary(struct initial_stack *stack, const struct process *process,
			   const struct placed_loader *loader)
{
	static const uint64_t copied[] = {AT_SYSINFO_EHDR, AT_HWCAP, AT_HWCAP2, AT_PAGESZ,
					  AT_CLKTCK,       AT_UID,   AT_EUID,   AT_GID,
					  AT_EGID,         51 /* AT_MINSIGSTKSZ */};
	const Elf64_Ehdr *header = (const void *)loader->file->bytes;
	const uint64_t bias = loader->bias;
	uint8_t random[16] = {0};

	if (getrandom(random, sizeof(random), GRND_NONBLOCK) < 0)
		memset(random, 0x5a, sizeof(random));

	const uint64_t own[][2] = {
		{AT_PHDR, bias + header->e_phoff},
		{AT_PHENT, header->e_phentsize},
		{AT_PHNUM, header->e_phnum},
		{AT_BASE, 0},
		{AT_ENTRY, bias + header->e_entry},
		{AT_SECURE, 0},
		{AT_RANDOM, add_bytes(stack, random, sizeof(random))},
		{AT_PLATFORM, add_bytes(stack, "x86_64", sizeof("x86_64"))},
		{AT_NULL, 0},
	};

	/* Without the kernel's code calls are made that else would not be. */
	for (size_t i = !loader->vdso; i < sizeof(copied) / sizeof(copied[0]); i++) {
		vector_push(&stack->words, copied[i]);
		vector_push(&stack->words,
			    remote_auxiliary_value(process->pid, copied[i]));
	}
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		vector_push(&stack->words, own[i][0]);
		vector_push(&stack->words, own[i][1]);
	}
}

/* Writes the stack of `loader host back tool...` below `top`; returns its address. */
static struct trm_error *write_stack(struct session *session, const struct thread *thread,
				     const char *host, uint64_t top, uint64_t back,
				     const struct placed_loader *loader,
				     uint64_t *ret_address)
{
	/* Half of what is there: environments are large at times. */
	struct initial_stack stack = {.strings_at = top - STACK_SIZE / 2};
	const struct session_options *options = session->options;
	struct text hex = {0};

	text_format(&hex, "%lx", back);
	vector_push(&stack.words, 3 + options->tools.count);
	push_string(&stack, "ld.so");
	push_string(&stack, host);
	push_string(&stack, hex.data);
	vector_for_each (&options->tools, tool)
		push_string(&stack, tool->path);
	vector_push(&stack.words, 0);
	for (char **variable = environ; *variable; variable++)
		if (!is_for_programs(*variable) && stack.strings.count < STACK_SIZE / 4)
			push_string(&stack, *variable);
	vector_push(&stack.words, 0);
	push_auxiliary(&stack, thread->process, loader);
	text_deinit(&hex);

	const uint64_t address =
		(stack.strings_at - stack.words.count * sizeof(uint64_t)) & ~15ull;
	const int memory_fd = thread->process->space->memory_fd;
	struct trm_error *error = remote_write(memory_fd, stack.strings_at,
					       stack.strings.items, stack.strings.count);

	if (!error)
		error = remote_write(memory_fd, address, stack.words.items,
				     stack.words.count * sizeof(uint64_t));
	vector_deinit(&stack.words);
	vector_deinit(&stack.strings);
	*ret_address = address;
	return error;
}

static struct trm_error *refusal_of(const struct thread *thread,
				    const struct tool_outcome *outcome)
{
	char text[1024] = "";

	if (outcome->event == TOOL_FAULTED)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"a tool was ended by SIG%s while it was loaded",
					sigabbrev_np(outcome->signal));
	if (outcome->event == TOOL_LATE)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"a tool takes longer than %d s to load",
					LOAD_MS / 1000);
	if (outcome->event == TOOL_REFUSED)
		trm_error_destroy(remote_read_string(thread->process->space->memory_fd,
						     outcome->address, text,
						     sizeof(text)));
	return trm_error_create(TRM_ERROR_UNSUPPORTED, "a tool cannot be loaded: %s",
				*text ? text : "it ended while it was loaded");
}

/* Runs the loader from its entry until all tools are loaded. */
static struct trm_error *run_loader(struct session *session, struct thread *thread,
				    struct tool_saved *saved, uint64_t entry,
				    uint64_t stack)
{
	struct tool_space *tools = thread->process->space->tools;
	struct user_regs_struct start = {
		.rip = entry,
		.rsp = stack,
		.eflags = 0x202,
		.cs = saved->registers.cs,
		.ss = saved->registers.ss,
		.gs_base = saved->registers.gs_base,
	};
	struct tool_outcome outcome;

	TRM_TRY(tool_run(session, thread, saved, &start, LOAD_MS, &outcome));
	if (outcome.event != TOOL_READY)
		return refusal_of(thread, &outcome);
	TRM_TRY(remote_read(thread->process->space->memory_fd, outcome.address,
			    &tools->table, sizeof(tools->table)));
	if (tools->table.count != session->options->tools.count)
		return trm_error_create(TRM_ERROR_FORMAT, "trammel-tool-host is of "
							  "another version");
	thread->tool.thread_pointer = outcome.registers.fs_base;
	thread->tool.stack = (outcome.registers.rsp - PAGE) & ~15ull;
	thread->tool.leads = true;
	return NULL;
}

/* Whether nothing is mapped in a range, neither in the program nor in the process that
 * stands for it. */
static bool is_free(struct session *session, const struct thread *thread, uint64_t start,
		    uint64_t size)
{
	if (!maps_is_free(&session->maps, start, size))
		return false;
	struct maps own = {0};
	bool is = !remote_failed(maps_read(thread->tid, &own)) &&
		  maps_is_free(&own, start, size);

	maps_deinit(&own);
	return is;
}

static struct tool_space *make_pool(uint64_t pool, uint64_t end)
{
	struct tool_space *tools = memory_allocate_zeroed(1, sizeof(*tools));

	tools->called = true;
	tools->pool = tools->next = pool;
	tools->pool_end = end;
	tools->next += STACK_GAP + STACK_SIZE;
	tools->reserve = tools->next;
	tools->next += RESERVE_SIZE;
	tools->reserve_end = tools->next;
	return tools;
}

static struct trm_error *choose_pool(struct session *session, struct thread *thread)
{
	enum { TRIES = 16 };
	struct space *space = thread->process->space;
	const uint64_t arena = space->family->arena->address;

	TRM_TRY(maps_read(thread->process->pid, &session->maps));
	for (uint64_t size = POOL_SIZE; size >= 1ull << 30; size /= 2) {
		for (uint64_t i = 0, end = arena; i < TRIES && end >= size * 2; i++) {
			end -= i ? size : 0;
			if (!is_free(session, thread, end - size, size))
				continue;
			space->tools = make_pool(end - size, end);
			space->tools->scratch = true;
			return NULL;
		}
	}
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"the program leaves no addresses for tools");
}

static struct trm_error *load_by(struct session *session, struct thread *thread,
				 const char *host, const struct elf_bytes *loader)
{
	struct tool_space *tools = thread->process->space->tools;
	const uint64_t top = tools->pool + STACK_GAP + STACK_SIZE;
	const uint64_t bias = tools->next;
	struct tool_saved saved;
	uint64_t back, stack;

	tools->next += extent_of(loader);
	TRM_TRY(place_loader(session, thread, loader, bias));
	TRM_TRY(tool_run_begin(thread, &saved));
	struct trm_error *error = tool_run_write_back(thread, &saved, top, &back);

	if (!error)
		error = write_stack(
			session, thread, host, top, back,
			&(struct placed_loader){loader, bias,
						tool_scratch_has_vdso(session, thread)},
			&stack);
	if (!error)
		error = run_loader(
			session, thread, &saved,
			bias + ((const Elf64_Ehdr *)(const void *)loader->bytes)->e_entry,
			stack);
	struct trm_error *ending = tool_run_end(thread, &saved);

	if (!error)
		return ending;
	trm_error_destroy(ending);
	return error;
}

struct trm_error *tool_load(struct session *session, struct thread *thread)
{
	scoped_free char *host = library_find("toolhost", LIBRARY_TOOL_HOST);
	struct elf_bytes loader = {0};
	char path[PATH_MAX];

	if (!host)
		return trm_error_create(TRM_ERROR_SYSTEM,
					"\"%s\" is missing: install trammel anew",
					LIBRARY_TOOL_HOST);
	TRM_TRY(open_loader(host, path, sizeof(path), &loader));
	struct trm_error *error = choose_pool(session, thread);

	if (!error)
		error = load_by(session, thread, host, &loader);
	unmap_file(&loader);
	return error;
}
