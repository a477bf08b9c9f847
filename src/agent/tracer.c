#include "agent/tracer.h"

#include "agent/knobs.h"
#include "base/array.h"
#include "protocol/protocol.h"
#include "session/count/window.h"
#include "session/profile/profile_writer.h"
#include "session/state/descriptors.h"
#include "session/state/session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SENDING_MAX = 1 << 20 };

/* A request that is served. */
struct serving {
	struct tracer_control *control;
	struct session *session;
	const Trm__Request *request;
	Trm__Answer *answer;
};

static struct trm_error *not_now(const struct serving *serving)
{
	return trm_error_create(TRM_ERROR_USAGE,
				serving->session->window.state == WINDOW_CLOSED
					? "the measurement is over"
				: serving->session->window.state == WINDOW_OPEN
					? "it is being counted already"
					: "nothing is being counted now");
}

static struct trm_error *serve_pause(struct serving *serving)
{
	return window_pause(serving->session) ? NULL : not_now(serving);
}

static struct trm_error *serve_resume(struct serving *serving)
{
	return window_resume(serving->session) ? NULL : not_now(serving);
}

static struct trm_error *serve_reset(struct serving *serving)
{
	uint32_t interval;

	if (!window_next(serving->session, &interval))
		return not_now(serving);
	/* As profiles number them. */
	serving->answer->number = interval + 1;
	return NULL;
}

static struct trm_error *serve_save(struct serving *serving)
{
	struct stat status;

	if (!serving->session->images.items[0]->started)
		return trm_error_create(TRM_ERROR_USAGE,
					"the program has not begun: there is no profile");
	TRM_TRY(profile_writer_save(serving->session, serving->control->now));
	if (!stat(serving->control->now, &status))
		serving->answer->number = (uint64_t)status.st_size;
	return NULL;
}

static struct trm_error *serve_detach(struct serving *serving)
{
	window_end(serving->session);
	return NULL;
}

static struct trm_error *serve_unwatch(struct serving *serving)
{
	debugging_end(&serving->control->debugging, serving->session);
	return NULL;
}

static struct trm_error *(*const servers[PROTOCOL_VERB_COUNT])(struct serving *) = {
	[PROTOCOL_PAUSE] = serve_pause,   [PROTOCOL_RESUME] = serve_resume,
	[PROTOCOL_RESET] = serve_reset,   [PROTOCOL_SAVE] = serve_save,
	[PROTOCOL_DETACH] = serve_detach, [PROTOCOL_UNWATCH] = serve_unwatch,
};

/* Events wait here while the agent does not take them: nobody waits for it. */
static void tell_event(void *context, Trm__Event *event)
{
	struct tracer_control *control = context;
	Trm__Message message = TRM__MESSAGE__INIT;

	if (control->sending.length > SENDING_MAX) {
		control->left_out++;
		return;
	}
	message.kind_case = TRM__MESSAGE__KIND_EVENT;
	message.event = event;
	frame_add(&control->sending, &message);
	trm_error_destroy(frame_send(&control->sending, control->fd));
}

static void send_message(struct tracer_control *control, Trm__Message *message)
{
	/* Answers are waited for, and come behind the events before them. */
	if (control->sending.length) {
		frame_add(&control->sending, message);
		trm_error_destroy(frame_send(&control->sending, control->fd));
		return;
	}
	trm_error_destroy(frame_send_whole(control->fd, message));
}

static void serve_request(struct tracer_control *control, struct session *session,
			  const Trm__Request *request)
{
	Trm__Answer answer = TRM__ANSWER__INIT;
	Trm__Fault fault = TRM__FAULT__INIT;
	Trm__Message message = TRM__MESSAGE__INIT;
	struct serving serving = {control, session, request, &answer};
	bool known;
	struct trm_error *error =
		debugging_serve(&control->debugging, session, request, &answer, &known);

	if (!known)
		error = request->verb < PROTOCOL_VERB_COUNT && servers[request->verb]
				? servers[request->verb](&serving)
				: trm_error_create(TRM_ERROR_UNSUPPORTED,
						   "this tracer cannot do that");

	answer.id = request->id;
	if (error) {
		fault.code = error->code;
		fault.system_code = error->system_code;
		fault.message = error->message;
		answer.fault = &fault;
	}
	message.kind_case = TRM__MESSAGE__KIND_ANSWER;
	message.answer = &answer;
	send_message(control, &message);
	knobs_free_rows(&answer);
	free(answer.data.data);
	trm_error_destroy(error);
}

/* The descriptor can be read, or its other end is gone: then the session goes on
 * alone. */
static void serve_control(struct session *session, int fd, void *context)
{
	struct tracer_control *control = context;
	bool ended = false;
	struct trm_error *error = frame_receive(&control->reader, fd, &ended);

	while (!error) {
		scoped_message Trm__Message *message = NULL;

		error = frame_next(&control->reader, &message);
		if (error || !message)
			break;
		if (message->kind_case == TRM__MESSAGE__KIND_REQUEST)
			serve_request(control, session, message->request);
	}
	if (error || ended) {
		debugging_end(&control->debugging, session);
		session_unwatch(session, fd);
		close(fd);
	}
	trm_error_destroy(error);
}

void tracer_control_begin(struct tracer_control *control, struct session *session)
{
	Trm__Message message = TRM__MESSAGE__INIT;
	Trm__Answer ready = TRM__ANSWER__INIT;

	fcntl(control->fd, F_SETFL, O_NONBLOCK);
	control->debugging.tell = tell_event;
	control->debugging.context = control;
	/* An answer to nothing says that there is somebody to ask. */
	message.kind_case = TRM__MESSAGE__KIND_ANSWER;
	message.answer = &ready;
	send_message(control, &message);
	session_watch(session, control->fd, serve_control, control);
	/* Nobody else debugs a program that has not begun. */
	trm_error_destroy(debugging_begin(&control->debugging, session));
}
