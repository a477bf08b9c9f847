/* environment: the run's metadata: command, host, user, system, processors, times. */
#include "runtime/channel/channel.h"
#include "runtime/channel/service.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void environment_say(const struct publish_sink *sink, const char *name,
			    const char *text)
{
	uint32_t attribute = sink->attribute(sink->context, name, TRM_TYPE_STRING,
					     TRM_AS_VALUE | TRM_GLOBAL);

	sink->global(sink->context, attribute,
		     (struct publish_value){.type = TRM_TYPE_STRING,
					    .size = (uint32_t)strlen(text),
					    .bytes = text});
}

/* Words of the command line, with spaces between. */
static void say_command(const struct publish_sink *sink)
{
	char text[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return;
	text[length] = '\0';
	for (ssize_t i = 0; i + 1 < length; i++)
		if (!text[i])
			text[i] = ' ';
	environment_say(sink, "env.cmdline", text);
}

static void say_system(const struct publish_sink *sink)
{
	struct utsname system;
	char text[256];

	if (!uname(&system)) {
		snprintf(text, sizeof(text), "%.100s %.100s", system.sysname,
			 system.release);
		environment_say(sink, "env.os", text);
		environment_say(sink, "env.machine", system.machine);
		environment_say(sink, "env.hostname", system.nodename);
	}
	snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	environment_say(sink, "env.processors", text);
}

static void say_all(struct channel *channel, const struct publish_sink *sink)
{
	const char *user = getenv("USER");
	time_t now = time(NULL);
	char text[4096];
	struct tm broken;

	(void)channel;
	say_command(sink);
	say_system(sink);
	if (user)
		environment_say(sink, "env.user", user);
	if (getcwd(text, sizeof(text)))
		environment_say(sink, "env.workdir", text);
	gmtime_r(&now, &broken);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &broken);
	environment_say(sink, "env.written", text);
	snprintf(text, sizeof(text), "%d", (int)getpid());
	environment_say(sink, "env.pid", text);
	environment_say(sink, "env.program", program_invocation_short_name);
}

const struct service service_environment = {
	.name = "environment",
	.about = "metadata of the run: command, host, user, system",
	.write = say_all,
};
