/* Managers of configurations: groups of channels that are added one after the other. */
#include "cali/annotate.h"
#include "cali/configure.h"
#include "cali/own.h"
#include "caliper/cali-manager.h"
#include "trammel/channel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADDED_MAX = 16, CHANNELS_MAX = 16, DEFAULTS_MAX = 4096, MESSAGE_MAX = 4096 };

struct cali_manager {
	struct trm_channels *added[ADDED_MAX];
	size_t count;
	cali_id_t channels[CHANNELS_MAX]; /* those that were asked for; 0: not yet */
	struct trm_specs *specs;          /* made when they are wanted */
	size_t *specs_users;              /* how many managers have these */
	char defaults[DEFAULTS_MAX];      /* ,option=value,... */
	char own_defaults[DEFAULTS_MAX];  /* configuration,option=value;... */
	char message[MESSAGE_MAX], checked[MESSAGE_MAX];
};

PUBLIC struct cali_manager *cali_manager_create(void)
{
	return calloc(1, sizeof(struct cali_manager));
}

PUBLIC void cali_manager_destroy(struct cali_manager *manager)
{
	for (size_t i = 0; manager && i < CHANNELS_MAX; i++)
		cali_delete_channel(manager->channels[i]);
	for (size_t i = 0; manager && i < manager->count; i++)
		trm_channels_destroy(manager->added[i]);
	if (manager && manager->specs && !--*manager->specs_users) {
		trm_specs_destroy(manager->specs);
		free(manager->specs_users);
	}
	free(manager);
}

/* Puts a text behind others; what finds no room is left out. Returns whether it did. */
static bool append_text(char *texts, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static bool append_text(char *texts, size_t size, const char *format, ...)
{
	size_t used = strlen(texts);
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(texts + used, size - used, format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length < size - used)
		return true;
	texts[used] = '\0';
	return false;
}

static void add_message(struct cali_manager *manager, const char *text)
{
	size_t used = strlen(manager->message);

	if (*text)
		snprintf(manager->message + used, sizeof(manager->message) - used, "%s%s",
			 used ? "\n" : "", text);
}

static void add_default(struct cali_manager *manager, bool found_room, const char *option)
{
	char line[256];

	if (found_room)
		return;
	snprintf(line, sizeof(line), "no room for the default of the option '%.64s'",
		 option);
	add_message(manager, line);
}

PUBLIC void cali_manager_set_default(struct cali_manager *manager, const char *option,
				     const char *value)
{
	if (manager)
		add_default(manager,
			    append_text(manager->defaults, DEFAULTS_MAX, ",%s=%s", option,
					value),
			    option);
}

PUBLIC void cali_manager_set_default_for(struct cali_manager *manager,
					 const char *configuration, const char *option,
					 const char *value)
{
	if (manager)
		add_default(manager,
			    append_text(manager->own_defaults, DEFAULTS_MAX, "%s,%s=%s;",
					configuration, option, value),
			    option);
}

/* Adds the options for the configuration of this name alone: "option=value,...". */
static void add_own(const struct cali_manager *manager, const char *name, size_t length,
		    char *text, size_t size)
{
	for (const char *at = manager->own_defaults; *at; at += strcspn(at, ";") + 1)
		if (!strncmp(at, name, length) && at[length] == ',')
			append_text(text, size, "%.*s,",
				    (int)(strcspn(at, ";") - length - 1),
				    at + length + 1);
}

/* The length of one configuration with its options; commas in quotes are theirs. */
static size_t length_of(const char *text)
{
	size_t depth = 0, at = 0;
	bool quoted = false;

	for (; text[at] && (depth || quoted || text[at] != ','); at++) {
		if (text[at] == '\\' && text[at + 1])
			at++;
		else if (text[at] == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += text[at] == '(' ? 1 : text[at] == ')' && depth ? -1 : 0;
	}
	return at;
}

/* Adds the text behind a configuration's name, with more options in its parentheses. */
static void add_rest(char *text, size_t size, const char *rest, size_t length,
		     const char *options)
{
	size_t space = strspn(rest, " \t\n");
	bool called = space < length && rest[space] == '(';

	if (!*options)
		append_text(text, size, "%.*s", (int)length, rest);
	else if (called)
		append_text(text, size, "(%s%.*s", options, (int)(length - space - 1),
			    rest + space + 1);
	else
		append_text(text, size, "(%s)%.*s", options, (int)length, rest);
}

/* Each configuration with its own defaults before its options, so that these count. */
static void spell_defaults(const struct cali_manager *manager, const char *configuration,
			   char *text, size_t size)
{
	bool ends_open =
		*configuration && configuration[strlen(configuration) - 1] == ',';

	for (size_t length; *configuration;
	     configuration += length + (configuration[length] == ',')) {
		size_t name;
		char own[DEFAULTS_MAX] = "";

		configuration += strspn(configuration, " \t\n");
		length = length_of(configuration);
		name = strcspn(configuration, "(,= \t\n");
		if (name > length)
			name = length;
		add_own(manager, configuration, name, own, sizeof(own));
		append_text(text, size, "%s%.*s", *text ? "," : "", (int)name,
			    configuration);
		add_rest(text, size, configuration + name, length - name, own);
	}
	append_text(text, size, "%s%s", ends_open ? "," : "", manager->defaults + !*text);
}

static struct trm_specs *specs_of(struct cali_manager *manager)
{
	if (manager->specs)
		return manager->specs;
	manager->specs_users = malloc(sizeof(*manager->specs_users));
	if (!manager->specs_users)
		return NULL;
	*manager->specs_users = 1;
	manager->specs = trm_specs_create();
	if (!manager->specs)
		free(manager->specs_users);
	return manager->specs;
}

static struct trm_channels *make_channels(struct cali_manager *manager,
					  const char *configuration)
{
	size_t size = 2 * strlen(configuration) + 16 * DEFAULTS_MAX;
	char *text = own_ready() ? calloc(1, size) : NULL;
	struct trm_channels *made;

	if (!text)
		return NULL;
	spell_defaults(manager, configuration, text, size);
	made = trm_channels_create_with(specs_of(manager), text);
	free(text);
	return made;
}

PUBLIC bool cali_manager_add(struct cali_manager *manager, const char *configuration)
{
	struct trm_channels *made;
	bool right;

	if (!manager)
		return false;
	if (manager->count == ADDED_MAX) {
		add_message(manager, "too many configurations in one manager");
		return false;
	}
	made = make_channels(manager, configuration);
	add_message(manager, trm_channels_message(made));
	right = !*trm_channels_message(made);
	/* All or nothing, as the peer: programs look at errors, and go on without. */
	if (made && right)
		manager->added[manager->count++] = made;
	else
		trm_channels_destroy(made);
	return right;
}

PUBLIC const char *cali_manager_ask(struct cali_manager *manager,
				    const char *configuration, const char *name,
				    const struct cali_answers *answers)
{
	const struct trm_runtime_answers asked = {answers->context, answers->argument,
						  answers->enabled, answers->setting,
						  answers->query};
	size_t size = 2 * strlen(configuration) + 16 * DEFAULTS_MAX;
	char *text = manager && own_ready() ? calloc(1, size) : NULL;

	if (!text)
		return cali_manager_message(NULL);
	spell_defaults(manager, configuration, text, size);
	manager->checked[0] = '\0';
	own_host->ask(specs_of(manager), text, name, &asked, manager->checked,
		      sizeof(manager->checked));
	free(text);
	return manager->checked;
}

/* Whether a configuration or an option is called so. */
static bool knows_name(struct cali_manager *manager, const char *name)
{
	const struct trm_specs *specs = specs_of(manager);
	const char *found, *option, *about;

	if (!strcmp(name, "metadata") || !strcmp(name, "load"))
		return true;
	for (size_t i = 0; (found = trm_specs_configuration(specs, i, &about)); i++) {
		if (!strcmp(found, name))
			return true;
		for (size_t j = 0; (option = trm_specs_option(specs, found, j, &about));
		     j++)
			if (!strcmp(option, name))
				return true;
	}
	return false;
}

/* A text from `from` on, without spaces and quotes around it. */
static char *copy_part(const char *from, size_t length)
{
	size_t space = strspn(from, " \t\n");

	space = space < length ? space : length;
	from += space;
	length -= space;
	while (length && strchr(" \t\n", from[length - 1]))
		length--;
	if (length > 1 && strchr("\"'", *from) && from[length - 1] == *from)
		return strndup(from + 1, length - 2);
	return strndup(from, length);
}

/* Reports an item that is unknown; else adds it to the text. */
static void sort_item(struct cali_manager *manager, const char *item, size_t length,
		      char *text, size_t size, cali_extra_fn extra, void *context)
{
	size_t word = strcspn(item, "=(,");
	char *name = copy_part(item, word < length ? word : length);
	char *value = copy_part(item + word + 1, word < length ? length - word - 1 : 0);

	if (!name || !value || !*name || knows_name(manager, name))
		append_text(text, size, "%s%.*s", *text ? "," : "", (int)length, item);
	else if (extra)
		extra(context, name, value);
	free(name);
	free(value);
}

static char *without_extra(struct cali_manager *manager, const char *configuration,
			   cali_extra_fn extra, void *context)
{
	size_t size = strlen(configuration) + 1, length;
	char *text = manager && own_ready() ? calloc(1, size) : NULL;

	for (; text && *configuration;
	     configuration += length + (configuration[length] == ',')) {
		length = length_of(configuration);
		sort_item(manager, configuration, length, text, size, extra, context);
	}
	return text;
}

PUBLIC bool cali_manager_add_but(struct cali_manager *manager, const char *configuration,
				 cali_extra_fn extra, void *context)
{
	char *text = without_extra(manager, configuration, extra, context);
	bool right = text && (!*text || cali_manager_add(manager, text));

	free(text);
	return right;
}

PUBLIC cali_id_t cali_manager_channel(struct cali_manager *manager, size_t number)
{
	struct trm_channels *part = NULL;
	size_t left = number;
	const char *name = "";

	if (!manager || number >= CHANNELS_MAX)
		return CALI_INV_ID;
	if (manager->channels[number])
		return manager->channels[number];
	for (size_t i = 0; i < manager->count && !part; i++) {
		size_t count = trm_channels_count(manager->added[i]);

		if (left < count)
			part = own_host->part(manager->added[i], left, &name);
		left -= left < count ? 0 : count;
	}
	if (!part)
		return CALI_INV_ID;
	manager->channels[number] = own_add_channel(part, name);
	return manager->channels[number];
}

PUBLIC struct cali_manager *cali_manager_create_like(struct cali_manager *manager)
{
	struct cali_manager *made = manager ? cali_manager_create() : NULL;

	if (!made)
		return NULL;
	made->specs = specs_of(manager);
	made->specs_users = manager->specs_users;
	if (made->specs)
		++*made->specs_users;
	memcpy(made->defaults, manager->defaults, sizeof(made->defaults));
	memcpy(made->own_defaults, manager->own_defaults, sizeof(made->own_defaults));
	return made;
}

PUBLIC const char *cali_manager_message(const struct cali_manager *manager)
{
	return manager ? manager->message : "there is no memory for a manager";
}

PUBLIC const char *cali_manager_check(struct cali_manager *manager,
				      const char *configuration)
{
	struct trm_channels *made =
		manager ? make_channels(manager, configuration) : NULL;

	if (!manager)
		return cali_manager_message(NULL);
	snprintf(manager->checked, sizeof(manager->checked), "%s",
		 trm_channels_message(made));
	trm_channels_destroy(made);
	return manager->checked;
}

PUBLIC const char *cali_manager_check_but(struct cali_manager *manager,
					  const char *configuration)
{
	char *text = without_extra(manager, configuration, NULL, NULL);
	const char *wrong = text && *text ? cali_manager_check(manager, text)
			    : text        ? ""
					  : cali_manager_message(NULL);

	free(text);
	return wrong;
}

#define DEFINE_ALL(word)                                                                 \
	PUBLIC void cali_manager_##word(struct cali_manager *manager)                    \
	{                                                                                \
		for (size_t i = 0; manager && i < manager->count; i++)                   \
			trm_channels_##word(manager->added[i]);                          \
	}

DEFINE_ALL(start)
DEFINE_ALL(stop)
DEFINE_ALL(flush)

PUBLIC bool cali_manager_is_across(const struct cali_manager *manager)
{
	for (size_t i = 0; manager && i < manager->count; i++)
		if (trm_channels_are_across(manager->added[i]))
			return true;
	return false;
}

PUBLIC void cali_manager_flush_across(struct cali_manager *manager,
				      const void *communicator, const char *path)
{
	for (size_t i = 0; manager && i < manager->count; i++)
		trm_channels_flush_across(manager->added[i], communicator, path);
}

PUBLIC void cali_manager_say(struct cali_manager *manager, const char *wrong)
{
	if (manager)
		add_message(manager, wrong);
}

PUBLIC void cali_manager_refuse(struct cali_manager *manager, const char *what)
{
	char line[256];

	snprintf(line, sizeof(line), "%s cannot be had", what);
	if (manager)
		add_message(manager, line);
}

PUBLIC const char *cali_manager_configuration_of(const struct cali_manager *manager,
						 size_t number)
{
	const char *about;

	return trm_specs_configuration(manager ? manager->specs : NULL, number, &about);
}

PUBLIC char *cali_manager_document_of(const struct cali_manager *manager,
				      const char *configuration)
{
	const struct trm_specs *specs = manager ? manager->specs : NULL;
	const char *name, *about = "";
	size_t size, widest = 0;
	char *text;
	FILE *file;

	for (size_t i = 0; (name = trm_specs_configuration(specs, i, &about)); i++)
		if (!strcmp(name, configuration))
			break;
	file = name ? open_memstream(&text, &size) : NULL;
	if (!file)
		return NULL;
	fprintf(file, "%s\n %s", name, about);
	for (size_t i = 0; (name = trm_specs_option(specs, configuration, i, &about));
	     i++)
		widest = strlen(name) > widest ? strlen(name) : widest;
	for (size_t i = 0; (name = trm_specs_option(specs, configuration, i, &about));
	     i++)
		fprintf(file, "%s\n   %-*s %s", i ? "" : "\n  Options:", (int)widest,
			name, about);
	return fclose(file) ? NULL : text;
}

PUBLIC const char *cali_manager_configuration(size_t number)
{
	return cali_manager_configuration_of(NULL, number);
}

PUBLIC char *cali_manager_document(const char *configuration)
{
	return cali_manager_document_of(NULL, configuration);
}

/* Says what was wrong. */
static bool note_complaint(struct cali_manager *manager, const char *wrong)
{
	add_message(manager, wrong);
	return !*wrong;
}

PUBLIC bool cali_manager_specify(struct cali_manager *manager, const char *json)
{
	return manager && note_complaint(manager, trm_specs_add(specs_of(manager), json));
}

static bool load_lines(struct cali_manager *manager, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	bool right = true;

	while (getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			right &= cali_manager_add(manager, line);
	}
	free(line);
	return right;
}

PUBLIC bool cali_manager_load(struct cali_manager *manager, const char *path)
{
	FILE *file = manager ? fopen(path, "re") : NULL;
	char message[512], first = '\0';
	bool right;

	if (manager && !file) {
		snprintf(message, sizeof(message), "cannot read '%s'", path);
		add_message(manager, message);
	}
	if (!file)
		return false;
	/* JSON begins with a bracket. */
	if (fscanf(file, " %c", &first) == 1 && strchr("[{", first)) {
		right = note_complaint(manager, trm_specs_load(specs_of(manager), path));
	} else {
		rewind(file);
		right = load_lines(manager, file);
	}
	fclose(file);
	return right;
}

PUBLIC cali_ConfigManager *cali_ConfigManager_new(cali_ConfigManager *manager)
{
	*manager = (cali_ConfigManager){cali_manager_create(), 0};
	return manager;
}

PUBLIC void cali_ConfigManager_delete(cali_ConfigManager *manager)
{
	cali_manager_destroy(manager->addr);
	manager->addr = NULL;
}

PUBLIC void cali_ConfigManager_set_default_parameter(cali_ConfigManager *manager,
						     const char *option,
						     const char *value)
{
	cali_manager_set_default(manager->addr, option, value);
}

PUBLIC void
cali_ConfigManager_set_default_parameter_for_config(cali_ConfigManager *manager,
						    const char *configuration,
						    const char *option, const char *value)
{
	cali_manager_set_default_for(manager->addr, configuration, option, value);
}

PUBLIC void cali_ConfigManager_add_config_spec(cali_ConfigManager *manager,
					       const char *text)
{
	cali_manager_specify(manager->addr, text);
}

PUBLIC void cali_ConfigManager_add_option_spec(cali_ConfigManager *manager,
					       const char *text)
{
	cali_manager_specify(manager->addr, text);
}

PUBLIC void cali_ConfigManager_add(cali_ConfigManager *manager, const char *configuration)
{
	cali_manager_add(manager->addr, configuration);
}

PUBLIC bool cali_ConfigManager_error(cali_ConfigManager *manager)
{
	return *cali_manager_message(manager->addr);
}

PUBLIC void cali_ConfigManager_error_msg_bufferify(cali_ConfigManager *manager,
						   cali_SHROUD_array *ret_text)
{
	char *text = strdup(cali_manager_message(manager->addr));
	size_t length = text ? strlen(text) : 0;

	*ret_text = (cali_SHROUD_array){
		.cxx = {text, 1},
		.addr = {.ccharp = text ? text : ""},
		.elem_len = length,
		.size = 1,
	};
}

PUBLIC void cali_SHROUD_memory_destructor(cali_SHROUD_capsule_data *capsule)
{
	free(capsule->addr);
	capsule->addr = NULL;
}

#define DEFINE_SAME(word)                                                                \
	PUBLIC void cali_ConfigManager_##word(cali_ConfigManager *manager)               \
	{                                                                                \
		cali_manager_##word(manager->addr);                                      \
	}

DEFINE_SAME(start)
DEFINE_SAME(stop)
DEFINE_SAME(flush)
