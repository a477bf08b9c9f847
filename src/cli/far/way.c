#include "cli/far/way.h"

#include "base/cleanup.h"
#include "base/text.h"
#ifdef TRAMMEL_CONTROL
#include "trammel/control.h"
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_name(struct far_names *names, const char *name)
{
	vector_push(names, memory_copy_string(name));
}

/* A name in each line; what is behind a `#` is a comment. */
static struct trm_error *read_file(const char *path, struct far_names *names)
{
	scoped_file FILE *file = fopen(path, "re");
	char *line = NULL, *at, *name;
	size_t capacity = 0;

	if (!file)
		return trm_error_system(errno, "cannot read the hosts in '%s'", path);
	while (getline(&line, &capacity, file) >= 0) {
		line[strcspn(line, "#")] = '\0';
		at = line;
		while ((name = strsep(&at, " \t\r\n,")))
			if (*name)
				add_name(names, name);
	}
	free(line);
	return NULL;
}

struct trm_error *far_names_read(const struct far_way *way, struct far_names *ret_names)
{
	scoped_free char *copy = memory_copy_string(way->hosts ? way->hosts : "");
	char *rest = copy, *name;
	struct trm_error *error = NULL;

	*ret_names = (struct far_names){0};
	while (!error && (name = strsep(&rest, ",")))
		if (*name == '@')
			error = read_file(name + 1, ret_names);
		else if (*name)
			add_name(ret_names, name);
	if (!error && !ret_names->count && way->hosts)
		error = trm_error_create(TRM_ERROR_USAGE, "--host '%s' names no host",
					 way->hosts);
	else if (!error && !ret_names->count)
		vector_push(ret_names, NULL);
	if (error)
		far_names_deinit(ret_names);
	return error;
}

void far_names_deinit(struct far_names *names)
{
	vector_for_each (names, name)
		free(*name);
	vector_deinit(names);
}

/* `%h` is the host's name, `%%` a percent sign. */
char *far_command(const struct far_way *way, const char *name)
{
	struct text command = {0};

	for (const char *at = way->command; at && *at; at++) {
		const bool mark = *at == '%' && (at[1] == 'h' || at[1] == '%');

		if (mark && *++at == 'h')
			text_add(&command, name ? name : "");
		else
			text_add_bytes(&command, at, 1);
	}
	return command.data;
}

struct trm_error *far_missing(void)
{
	return trm_error_create(
		TRM_ERROR_UNSUPPORTED,
		"this trammel cannot reach others: it was built without protobuf-c. "
		"Install libprotobuf-c-dev and protobuf-c-compiler, and build it again");
}

#ifdef TRAMMEL_CONTROL
struct trm_error *far_open(const struct far_way *way, const char *name, bool is_looked_at,
			   struct trm_engine **ret_engine)
{
	scoped_free char *command = far_command(way, name);
	const struct trm_engine_options options = {
		.size = sizeof(options),
		.host = command ? NULL : name,
		.command = command,
		.name = name,
		.on_loss = is_looked_at ? TRM_CONTROL_DETACH : TRM_CONTROL_GO_ON,
		.linger_seconds = FAR_LINGER_SECONDS,
	};

	return trm_engine_open(&options, ret_engine);
}
#endif
