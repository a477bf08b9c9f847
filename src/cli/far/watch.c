#include "cli/far/watch.h"

#include "cli/far/way.h"

#ifdef TRAMMEL_CONTROL

#include "cli/far/job.h"
#include "trammel/control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct watch {
	const struct far_watching *watching;
	struct trm_engine *engine;
	struct trm_process *process;
	int signals_fd;
	uint64_t shown; /* moment of the last one */
};

static struct trm_error *start_watch(struct watch *watch,
				     const struct option_settings *settings)
{
	const struct far_way way = far_way_of(settings);
	struct far_names names;

	TRM_TRY(far_names_read(&way, &names));
	struct trm_error *error =
		names.count > 1 ? trm_error_create(TRM_ERROR_USAGE,
						   "'trammel top' shows one host at a "
						   "time: --host '%s' names several",
						   way.hosts)
				: far_open(&way, names.items[0], true, &watch->engine);

	far_names_deinit(&names);
	if (!error)
		error = far_make_process(settings, watch->engine, &watch->process);
	if (!error && option_settings_find(settings, "samples"))
		error = trm_process_set(watch->process, "measure", "samples");
	if (!error)
		error = trm_process_set(watch->process, "threads", "true");
	if (!error)
		error = trm_process_save_every(watch->process, watch->watching->save_ns);
	return error ? error : trm_process_run(watch->process);
}

/* False: nobody looks any more. */
static bool show_profile(struct watch *watch, struct trm_error **ret_error)
{
	uint64_t moment = 0;

	*ret_error = trm_process_saved(watch->process, watch->watching->profile, &moment);
	/* There is none yet. */
	if (*ret_error && (*ret_error)->code == TRM_ERROR_GONE) {
		trm_error_destroy(*ret_error);
		*ret_error = NULL;
		return true;
	}
	if (*ret_error || moment == watch->shown)
		return !*ret_error;
	watch->shown = moment;
	return write(watch->watching->saved_fd, &moment, sizeof(moment)) ==
	       sizeof(moment);
}

/* Drops what is told meanwhile; whether the measurement is over. */
static bool is_over(const struct watch *watch, struct trm_error **ret_error)
{
	struct trm_event *event = NULL;

	do {
		trm_event_release(event);
		event = NULL;
		*ret_error = trm_engine_wait(watch->engine, 0, &event);
	} while (!*ret_error && event);
	if (*ret_error)
		return true;
	*ret_error = trm_process_wait(watch->process, 0, NULL);
	if (!*ret_error || (*ret_error)->code != TRM_ERROR_LIMIT)
		return true;
	trm_error_destroy(*ret_error);
	*ret_error = NULL;
	return false;
}

static struct trm_error *follow_watch(struct watch *watch)
{
	struct pollfd end = {.fd = watch->signals_fd, .events = POLLIN};
	const int delay_ms = (int)(watch->watching->save_ns / 1000000);
	struct trm_error *error = NULL;
	bool goes_on = true;

	while (goes_on && !is_over(watch, &error)) {
		if (poll(&end, 1, delay_ms) > 0)
			break;
		goes_on = show_profile(watch, &error);
	}
	if (error)
		return error;
	/* The last one is that of the end. */
	error = trm_process_detach(watch->process);
	trm_error_destroy(error);
	TRM_TRY(trm_process_wait(watch->process, -1, NULL));
	show_profile(watch, &error);
	return error;
}

struct trm_error *far_watch(const struct option_settings *settings,
			    const struct far_watching *watching)
{
	struct watch watch = {.watching = watching};
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGTERM);
	sigprocmask(SIG_BLOCK, &ending, NULL);
	signal(SIGPIPE, SIG_IGN);
	watch.signals_fd = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch.signals_fd < 0)
		return trm_error_system(errno, "cannot make a signalfd");
	struct trm_error *error = start_watch(&watch, settings);

	if (!error)
		error = follow_watch(&watch);
	trm_engine_release(watch.engine);
	close(watch.signals_fd);
	return error;
}

#else

struct trm_error *far_watch(const struct option_settings *settings,
			    const struct far_watching *watching)
{
	(void)settings, (void)watching;
	return far_missing();
}

#endif
