/* Preloaded into any program: upcalls at 1 kHz from before main on, whose handler looks
 * at the state, allocates now and then by a deferred call, and counts. At the end it says
 * in the file UPCALLS_FOUND what there was, unless the variable is not set. */
#include <trammel/upcall.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t upcalls, sum;
static trm_upcall_id id;

static void allocate(void *data)
{
	volatile char *memory = (volatile char *)malloc(3000);

	(void)data;
	memory[0] = 1;
	free((void *)memory);
}

static void look(struct trm_upcall *upcall)
{
	uint64_t value[2] = {0, 0};

	if (trm_upcall_read_vector(upcall, 3, value, sizeof(value)))
		trm_upcall_write_vector(upcall, 3, value, sizeof(value));
	__atomic_add_fetch(&sum, value[0] ^ upcall->pc, __ATOMIC_RELAXED);
	if (__atomic_add_fetch(&upcalls, 1, __ATOMIC_RELAXED) % 8 == 0)
		trm_upcall_defer(allocate, NULL);
}

static __attribute__((constructor)) void begin(void)
{
	const char *frequency = getenv("UPCALLS_FREQUENCY");
	struct trm_upcall_event event = {
		"cpu-clock",
		1000000000u / (frequency ? strtoul(frequency, NULL, 10) : 1000)};
	struct trm_upcall_options options = {.size = sizeof(options),
					     .flags = TRM_UPCALL_FOLLOW_FORK,
					     .handler = look,
					     .events = &event,
					     .event_count = 1};

	trm_upcall_enable(&options, &id);
}

static __attribute__((destructor)) void end(void)
{
	const char *path = getenv("UPCALLS_FOUND");
	struct trm_upcall_statistics statistics = {.size = sizeof(statistics)};
	char line[400];
	int file, length;

	if (!path || !trm_upcall_statistics(id, &statistics))
		return;
	length = snprintf(
		line, sizeof(line),
		"upcalls %llu interrupts %llu lost %llu nested %llu waiting %llu "
		"threads %u missed %u deferred %llu run %llu trouble %s\n",
		(unsigned long long)statistics.upcalls,
		(unsigned long long)statistics.interrupts,
		(unsigned long long)statistics.lost,
		(unsigned long long)statistics.skipped_nested,
		(unsigned long long)statistics.waiting, statistics.threads,
		statistics.threads_missed, (unsigned long long)statistics.deferred,
		(unsigned long long)statistics.deferred_run,
		statistics.trouble ? statistics.trouble : "none");
	file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0 || write(file, line, (size_t)length) != length)
		_exit(99);
	close(file);
}
