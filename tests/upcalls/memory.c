/* A program with upcalls whose memory is used up: it is told so as without upcalls, these
 * go on, and what has no memory says so. Prints "done". Status 77: upcalls cannot be had
 * here. */
#include "must.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile uint64_t upcalls_so_far, denied, in_thread;

static void ask_memory(void *data)
{
	void *memory = malloc(1 << 20);

	(void)data;
	denied += !memory;
	free(memory);
}

static void ask_later(struct trm_upcall *upcall)
{
	__atomic_add_fetch(&upcalls_so_far, 1, __ATOMIC_RELAXED);
	if (upcall->thread != (uint32_t)getpid())
		__atomic_add_fetch(&in_thread, 1, __ATOMIC_RELAXED);
	trm_upcall_defer(ask_memory, NULL);
}

static void *compute_a_little(void *data)
{
	compute_ms(5);
	return data;
}

static void *compute_in_thread(void *data)
{
	compute_until(&in_thread, in_thread + 10);
	return data;
}

/* On a stack that is there already. Returns what pthread_create does. */
static int run_thread(void *(*work)(void *data))
{
	static char stack[256 << 10] __attribute__((aligned(4096)));
	pthread_attr_t attributes;
	pthread_t thread;
	void *returned;
	int failed;

	must(!pthread_attr_init(&attributes));
	must(!pthread_attr_setstack(&attributes, stack, sizeof(stack)));
	failed = pthread_create(&thread, &attributes, work, stack);
	must(failed || (!pthread_join(thread, &returned) && returned == stack));
	return failed;
}

static void use_up(struct rlimit *ret_before)
{
	struct rlimit none;

	must(!getrlimit(RLIMIT_AS, ret_before));
	none = (struct rlimit){0, ret_before->rlim_max};
	must(!setrlimit(RLIMIT_AS, &none));
	for (size_t size = 1 << 20; size >= 16; size /= 2)
		while (malloc(size))
			;
}

/* `spare`: some of the heap is left for what a thread needs. */
static void go_without_memory(bool spare)
{
	const struct trm_upcall_options options = usual_options(ask_later);
	const trm_upcall_id id = enable(&options);
	const uint64_t begun = upcalls_so_far;
	void *volatile kept = spare ? malloc(2000) : NULL;
	struct rlimit before;
	const char *reason;
	int failed;

	compute_until(&upcalls_so_far, begun + 20);
	use_up(&before);
	denied = 0;
	while (upcalls_so_far < begun + 80 || !denied)
		must(!malloc(1 << 20) && errno == ENOMEM);
	free(kept);
	failed = run_thread(compute_a_little);
	must(!failed || failed == EAGAIN || failed == ENOMEM);
	must(!spare || !failed);
	reason = trm_upcall_enable(&options, NULL);
	must(!reason || *reason);
	compute_until(&upcalls_so_far, upcalls_so_far + 20);
	must(!setrlimit(RLIMIT_AS, &before));
	must(!run_thread(compute_in_thread));
	must(trm_upcall_disable(id));
}

int main(void)
{
	go_without_memory(false);
	go_without_memory(true);
	puts("done");
	return 0;
}
