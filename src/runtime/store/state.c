#include "runtime/store/state.h"
#include "base/clock.h"
#include "runtime/store/memory.h"

#include <cpuid.h>
#include <sys/mman.h>

/* How often both clocks are read, unless that took less than these ticks. */
enum { MOMENT_TRIES = 16, MOMENT_TICKS = 1000 };

static struct runtime_state none;
struct runtime_state *runtime_state = &none;

runtime_local struct context_thread *runtime_self;
runtime_local uint32_t runtime_busy;

/* Ticks are the processor's, where times are wanted. */
static bool steady;

uint64_t runtime_clock_ns(void)
{
	return clock_now_ns();
}

uint64_t runtime_other_ticks(void)
{
	return runtime_state->untimed ? 0 : clock_now_ns();
}

/* Whether the time-stamp counter runs at one speed, also in deep sleep (Intel SDM vol. 3,
 * 18.17.1: CPUID 80000007H, EDX bit 8). */
static bool has_steady_tsc(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

bool state_has_steady_ticks(void)
{
	return steady;
}

struct context_moment state_moment(void)
{
	struct context_moment moment = {0};
	uint64_t least = UINT64_MAX;

	/* Something else may run in between, for milliseconds: samples are placed in
	 * regions by these two clocks, to the microsecond. */
	for (int i = 0; i < MOMENT_TRIES && least > MOMENT_TICKS; i++) {
		const uint64_t before = __rdtsc(), ns = runtime_clock_ns();
		const uint64_t passed = __rdtsc() - before;

		if (passed >= least)
			continue;
		least = passed;
		moment = (struct context_moment){steady ? before + passed / 2 : ns, ns};
	}
	return moment;
}

double state_tick_ns(const struct context_moment *begin)
{
	struct context_moment now = state_moment();

	if (!begin->ticks || now.ticks == begin->ticks)
		return 1;
	return (double)(now.ns - begin->ns) / (double)(now.ticks - begin->ticks);
}

bool state_make(void)
{
	void *page = runtime_map(4096);

	if (!page || madvise(page, 4096, MADV_WIPEONFORK))
		return false;
	runtime_state = page;
	steady = has_steady_tsc();
	return true;
}

void state_drop(void)
{
	runtime_state = &none;
}

bool state_exists(void)
{
	return runtime_state != &none;
}

/* What events look at first, in one word. */
static void set_usual(void)
{
	bool usual = runtime_state->recording && runtime_state->tsc &&
		     !(runtime_state->watching & (RUNTIME_CHANNELS | RUNTIME_TOLD));

	__atomic_store_n(&runtime_state->usual, usual, __ATOMIC_RELEASE);
}

void state_set_watchers(uint32_t watchers, bool timed)
{
	runtime_state->tracing = watchers & RUNTIME_TRACES ? 1 : 0;
	runtime_state->watching = watchers;
	runtime_state->untimed = !timed;
	runtime_state->tsc = timed && steady;
	runtime_state->idle =
		!timed && !(runtime_state->watching & ~(uint32_t)RUNTIME_KEEPS);
	set_usual();
}

void state_begin_recording(void)
{
	__atomic_store_n(&runtime_state->recording, 1, __ATOMIC_RELEASE);
	set_usual();
}
