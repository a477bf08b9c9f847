/* Channels that the environment asks for. */
#include "runtime/config/configure.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/settings.h"
#include "runtime/config/config_text.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 2048 };

/* Says what was wrong with the one-line form, line by line. */
static void warn_lines(const char *variable, const char *text)
{
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		log_warn("%s: error: %.*s", variable, (int)length, text);
	}
}

void channels_configure(const char *variable, const char *oneline)
{
	static struct settings usual;
	static bool served; /* the channel of SERVICES_ENABLE is there: who comes later,
			       as libtrammel-cali does, gets no second one */
	struct channel *made[CHANNELS_MAX];
	char message[MESSAGE_MAX];
	const char *services;
	size_t count;

	usual = (struct settings){.count = 0};
	settings_usual(&usual);
	services = settings_get(&usual, "SERVICES_ENABLE");
	if (services && *services && !served) {
		struct channel *channel = channel_create("default", &usual);

		served = channel != NULL;
		if (channel) {
			channel->given = true;
			channel_activate(channel, true);
		}
	}
	if (!oneline || !*oneline)
		return;
	count = config_text_create(NULL, oneline, true, made, message, sizeof(message));
	/* Nobody else flushes them before ranks part. */
	for (size_t i = 0; i < count; i++) {
		made[i]->mpi.parts = made[i]->mpi.across;
		made[i]->given = true;
	}
	warn_lines(variable, message);
}

void channels_start(void)
{
	const char *oneline = getenv("TRAMMEL_CONFIG");

	if ((!oneline || !*oneline) && !getenv("TRAMMEL_SERVICES_ENABLE") &&
	    !getenv("TRAMMEL_CONFIG_FILE"))
		return;
	settings_read_file();
	channels_configure("TRAMMEL_CONFIG", oneline);
}