/* The tracer's parts on live processes of this test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "control/arena.h"
#include "control/event.h"
#include "control/inject.h"
#include "control/maps.h"
#include "control/remote.h"
#include "wire/bank.h"
#include "wire/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_maps(void **state)
{
	struct maps maps = {0};
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t address = (uintptr_t)page, place;

	(void)state;
	assert_null(maps_read(getpid(), &maps));
	assert_string_equal(
		maps_path(&maps, maps_find(&maps, getauxval(AT_SYSINFO_EHDR))), "[vdso]");
	assert_null(maps_find(&maps, 4096));
	assert_false(maps_is_free(&maps, address, 4096));
	assert_false(maps_is_free(&maps, address - 4096, 8192));
	assert_false(maps_is_free(&maps, 0, 4096));
	assert_false(maps_is_free(&maps, UINT64_MAX - 100, 4096));
	place = maps_find_free(&maps, address, 1 << 20, 1800ull << 20);
	assert_int_not_equal(place, 0);
	assert_true(maps_is_free(&maps, place, 1 << 20));
	maps_deinit(&maps);
	munmap(page, 4096);
}

static void add_up(void *context, uint32_t slot, uint64_t count)
{
	uint64_t *sums = context;

	sums[0] += slot;
	sums[1] += count;
}

enum { BANKS = 3 };

static void test_banks(void **state)
{
	const uint64_t stride = 256u << 10;
	struct arena *arena;
	struct bank *bank, *other;
	uint64_t sums[2] = {0}, *counters;
	int fd = memfd_create("test", MFD_CLOEXEC);

	(void)state;
	assert_null(arena_create(fd, 0x10000000, stride, BANKS, 8, &arena));
	bank = arena_take_bank(arena, arena->chunks.items[0], 100, 101);
	assert_non_null(bank);
	assert_int_equal(bank->shared->self, bank->address);
	counters = (uint64_t *)(void *)((char *)bank->shared + WIRE_BANK_HEADER);
	counters[7] = 3;
	counters[20000] = 4;
	arena_read_bank(arena, bank, add_up, sums);
	assert_int_equal(sums[0], 20007);
	assert_int_equal(sums[1], 7);
	/* An ended thread's bank goes to its process again, counts and all. */
	arena_give_bank(bank);
	other = arena_take_bank(arena, arena->chunks.items[0], 200, 201);
	assert_ptr_not_equal(other, bank);
	assert_ptr_equal(arena_take_bank(arena, arena->chunks.items[0], 100, 102), bank);
	arena_clear_bank(arena, bank);
	sums[0] = sums[1] = 0;
	arena_read_bank(arena, bank, add_up, sums);
	assert_int_equal(sums[1], 0);
	for (int i = 0; i < BANKS - 1; i++)
		assert_non_null(arena_take_bank(arena, arena->chunks.items[0], 300, 301));
	assert_null(arena_take_bank(arena, arena->chunks.items[0], 300, 301));
	arena_release(arena);
}

static void mark(const struct arena *arena, const struct bank *bank, bool all,
		 uint64_t ret_sums[2])
{
	ret_sums[0] = ret_sums[1] = 0;
	arena_mark_flags(arena, bank, all, add_up, ret_sums);
}

/* What is set again after it was marked is found; all count as set. */
static void test_flags(void **state)
{
	struct arena *arena;
	struct bank *bank;
	uint64_t sums[2] = {0};
	uint8_t *flags;
	int fd = memfd_create("test", MFD_CLOEXEC);

	(void)state;
	assert_null(arena_create(fd, 0x10000000, 256u << 10, BANKS, 1, &arena));
	bank = arena_take_bank(arena, arena->chunks.items[0], 100, 101);
	assert_non_null(bank);
	flags = (uint8_t *)bank->shared + WIRE_BANK_HEADER;
	flags[1000] = flags[1001] = flags[1017] = flags[30000] = 1;
	mark(arena, bank, false, sums);
	assert_int_equal(sums[0], 1000 + 1001 + 1017 + 30000);
	assert_int_equal(sums[1], 4);
	mark(arena, bank, false, sums);
	assert_int_equal(sums[1], 0);
	flags[1017] = flags[1018] = 1;
	mark(arena, bank, false, sums);
	assert_int_equal(sums[0], 1017 + 1018);
	mark(arena, bank, true, sums);
	assert_int_equal(sums[1], 5);
	mark(arena, bank, false, sums);
	assert_int_equal(sums[1], 0);
	arena_read_bank(arena, bank, add_up, sums);
	assert_int_equal(sums[0], 1000 + 1001 + 1017 + 1018 + 30000);
	assert_int_equal(sums[1], 5);
	arena_take_flags(arena, bank, add_up, sums);
	assert_int_equal(sums[1], 10);
	arena_read_bank(arena, bank, add_up, sums);
	assert_int_equal(sums[1], 10);
	arena_clear_bank(arena, bank);
	arena_give_bank(bank);
	arena_release(arena);
}

/* A child that is traced and stands at the exit of an execve of /bin/true. */
static pid_t start_traced(struct event_queue *queue)
{
	struct event event;
	int go[2];
	char byte;

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid_t child = fork();

	if (!child) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			execl("/bin/true", "true", NULL);
		_exit(9);
	}
	assert_int_equal(ptrace(PTRACE_SEIZE, child, 0, event_trace_options()), 0);
	assert_int_equal(write(go[1], "g", 1), 1);
	close(go[0]);
	close(go[1]);
	assert_true(event_wait_thread(queue, child, 5000, &event));
	assert_int_equal(event.kind, EVENT_EXEC);
	assert_null(remote_resume(child, REMOTE_SYSCALL, 0));
	assert_true(event_wait_thread(queue, child, 5000, &event));
	assert_int_equal(event.kind, EVENT_SYSCALL);
	return child;
}

static void test_injection_leaves_no_trace(void **state)
{
	struct event_queue queue = {0};
	struct maps maps = {0};
	struct user_regs_struct before, after;
	struct wire_batch batch = {0};
	struct arena *arena = NULL;
	struct event event;
	uint64_t mask_before, mask_after;
	int memory_fd;
	pid_t child = start_traced(&queue);

	(void)state;
	assert_null(remote_open(child, "mem", O_RDWR, &memory_fd));
	assert_null(maps_read(child, &maps));
	assert_null(remote_get_registers(child, &before));
	assert_null(remote_get_mask(child, &mask_before));
	struct inject_arena_request request = {
		.tid = child,
		.memory_fd = memory_fd,
		.maps = &maps,
		.address = maps_find_free(&maps, maps.mappings.items[0].start, 4 << 20,
					  1ull << 40),
		.stride = 256u << 10,
		.banks = BANKS,
		.slot_size = 8,
		.memfd_flags = MFD_CLOEXEC,
	};

	assert_null(inject_arena(&request, &queue, &arena));
	BATCH_ADD(&batch, SYS_getpid, 0, 0, 0, 0, 0, 0);
	BATCH_ADD(&batch, SYS_close, 4711, 0, 0, 0, 0, 0);
	BATCH_ADD(&batch, SYS_kill, WIRE_RESULT(0), 0, 0, 0, 0, 0);
	assert_null(inject_batch(child, arena, &batch, &queue));
	assert_int_equal(batch.calls[0].result, child);
	assert_int_equal(batch.calls[1].result, -EBADF);
	assert_int_equal(batch.calls[2].result, 0);
	assert_null(remote_get_registers(child, &after));
	assert_null(remote_get_mask(child, &mask_after));
	before.orig_rax = after.orig_rax; /* says only which call may be made again */
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(mask_before, mask_after);
	/* A second mapping of the arena's pages, far from the first. */
	uint64_t addend, place = request.address + (1ull << 30);

	batch.count = 0;
	unsigned int result = batch_add_mapping(&batch, arena, false, WIRE_BANKS_OFFSET,
						4096, place, &addend);

	assert_null(inject_batch(child, arena, &batch, &queue));
	assert_int_equal(batch.calls[result].result + (int64_t)addend, place);
	assert_null(remote_resume(child, REMOTE_RUN, 0));
	assert_true(event_wait_thread(&queue, child, 5000, &event));
	assert_int_equal(event.kind, EVENT_EXITED);
	assert_int_equal(event.value, 0);
	arena_release(arena);
	close(memory_fd);
	maps_deinit(&maps);
	vector_deinit(&queue.pending);
}

static void test_a_thread_that_is_gone(void **state)
{
	struct event_queue queue = {0};
	struct user_regs_struct registers;
	struct event event;
	pid_t child = start_traced(&queue);

	(void)state;
	kill(child, SIGKILL);
	assert_true(event_wait_thread(&queue, child, 5000, &event));
	assert_int_equal(event.kind, EVENT_KILLED);
	struct trm_error *error = remote_get_registers(child, &registers);

	assert_non_null(error);
	assert_int_equal(error->code, TRM_ERROR_GONE);
	trm_error_destroy(error);
	vector_deinit(&queue.pending);
}

static void take_note(int signal)
{
	_exit(signal == SIGUSR1 ? 7 : 1);
}

/* A process that waits for SIGUSR1, and ends with 7 then. */
static pid_t start_waiting(void)
{
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
		signal(SIGUSR1, take_note);
		alarm(20);
		if (write(ready[1], "", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

/* Is killed when it has seen the signal. */
_Noreturn static void die_at_signal(pid_t child)
{
	struct event_queue queue = {0};
	struct event event;

	if (ptrace(PTRACE_SEIZE, child, 0, event_trace_options()) ||
	    kill(child, SIGUSR1) || !event_wait_thread(&queue, child, 5000, &event) ||
	    event.kind != EVENT_SIGNAL || event.value != SIGUSR1)
		_exit(1);
	kill(getpid(), SIGKILL);
	_exit(1);
}

static void test_signal_outlives_tracer(void **state)
{
	const pid_t child = start_waiting(), tracer = fork();
	int status;

	(void)state;
	if (!tracer)
		die_at_signal(child);
	assert_int_equal(waitpid(tracer, &status, 0), tracer);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

/* A thread that stands at a signal does not hide what others do, and is told once. */
static void test_signals_of_several(void **state)
{
	enum { CHILDREN = 3 };
	struct event_queue queue = {0};
	struct event event;
	pid_t children[CHILDREN];

	(void)state;
	for (unsigned i = 0; i < CHILDREN; i++) {
		children[i] = start_waiting();
		assert_int_equal(ptrace(PTRACE_SEIZE, children[i], 0, 0), 0);
		kill(children[i], SIGUSR1);
	}
	for (unsigned i = 0; i < CHILDREN; i++) {
		assert_true(event_wait_thread(&queue, children[i], 5000, &event));
		assert_int_equal(event.kind, EVENT_SIGNAL);
	}
	assert_false(event_poll(&queue, &event));
	for (unsigned i = 0; i < CHILDREN; i++)
		assert_null(remote_resume(children[i], REMOTE_RUN, SIGUSR1));
	for (unsigned i = 0; i < CHILDREN; i++) {
		assert_true(event_wait_thread(&queue, children[i], 5000, &event));
		assert_int_equal(event.kind, EVENT_EXITED);
		assert_int_equal(event.value, 7);
	}
	vector_deinit(&queue.pending);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_banks),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_injection_leaves_no_trace),
		cmocka_unit_test(test_a_thread_that_is_gone),
		cmocka_unit_test(test_signal_outlives_tracer),
		cmocka_unit_test(test_signals_of_several),
	};
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
