/*
 * The one-line form of configurations:
 *
 *     configuration(option=value,option),configuration,option=value
 *
 * Options outside of parentheses are for all configurations that take them. Values may
 * stand in quotes, and may have parentheses. metadata(name=value,...) and
 * metadata(file=PATH,keys="NAME,...") add globals, load(file,...) configurations and
 * options from files.
 */
#include "runtime/config/config_text.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/unsupported.h"
#include "runtime/config/answers.h"
#include "runtime/config/complaints.h"
#include "runtime/config/configurations.h"
#include "runtime/config/document.h"
#include "runtime/config/items.h"
#include "runtime/config/metadata.h"
#include "runtime/config/request.h"
#include "runtime/config/request_output.h"
#include "runtime/config/specs.h"
#include "runtime/events/caliper_host_api.h"
#include "runtime/events/recording.h"
#include "runtime/libraries/ranks.h"
#include "runtime/store/lock.h"
#include "runtime/store/memory.h"

#include <string.h>

static const char *configuration_own_name_at(size_t index)
{
	return specs_configuration_name(request_specs, index);
}

static void complain_name(const char *name)
{
	const char *why = unsupported_why(name);
	const char *near = settings_nearest(name, configuration_own_name_at);

	if (!near)
		near = settings_nearest(name, request_option_name_at);
	if (why)
		complain("'%s' cannot be had: %s", name, why);
	else
		complain("Unknown config or parameter: %s%s%s%s", name,
			 near ? "; did you mean '" : "", near ? near : "",
			 near ? "'?" : "");
}

static bool is_among(const struct items *items, const char *name)
{
	for (size_t i = 0; i < items->count; i++)
		if (!items->items[i].called && !strcmp(items->items[i].name, name))
			return true;
	return false;
}

/* Settings of the specification, and its defaults for options that nobody gives. */
static void apply_defaults(struct request *request, const struct items *all,
			   const struct items *own)
{
	const struct document *usual = document_member(request->spec, "defaults");

	request_add_settings(request, request->spec, "");
	for (usual = usual ? usual->first : NULL; usual; usual = usual->next) {
		const struct item item = {.name = usual->name, .value = usual->text};

		if (item.value && !is_among(all, item.name) && !is_among(own, item.name))
			request_apply(request, &item, false);
	}
}

/* Options that a built-in configuration has unless they are given. What others read is
 * not added to. */
static void apply_usual(struct request *request, const struct items *all,
			const struct items *own)
{
	static struct items usual; /* too large for a stack */
	bool formatted = is_among(all, "output.format") || is_among(own, "output.format");

	items_split(request->configuration->usual ? request->configuration->usual : "",
		    &usual);
	for (size_t i = 0; i < usual.count; i++) {
		const struct item *item = &usual.items[i];

		if (!is_among(all, item->name) && !is_among(own, item->name) &&
		    !(formatted && !strcmp(item->name, "output.append")))
			request_apply(request, item, false);
	}
}

/* Whether it can be had. */
static bool fill_request(struct request *request, const struct item *item,
			 const struct items *all)
{
	static struct items own;

	*request = (struct request){
		.configuration = specs_configuration(request_specs, item->name)};
	request->spec = specs_of_configuration(request_specs, request->configuration);
	if (!request_has_services(request->configuration->services, "configuration",
				  item->name))
		return false;
	if (strstr(request->configuration->services, ",mpi,") && !ranks_are_known()) {
		complain("'%s' cannot be had: there is no MPI, or no libtrammel-mpi for "
			 "it",
			 item->name);
		return false;
	}
	items_split(item->called && item->value ? item->value : "", &own);
	apply_defaults(request, all, &own);
	apply_usual(request, all, &own);
	request_add_clauses(request);
	for (size_t i = 0; i < all->count; i++) {
		const struct configuration_option *option =
			specs_option(request_specs, all->items[i].name);

		if (all->items[i].called || !option)
			continue;
		/* What they add would be there twice. */
		if (!specs_of_option(request_specs, option) ||
		    !is_among(&own, option->name))
			request_apply(request, &all->items[i], true);
	}
	for (size_t i = 0; i < own.count; i++)
		request_apply(request, &own.items[i], false);
	return true;
}

static struct channel *add_configuration(const struct item *item, const struct items *all,
					 bool active)
{
	static struct request request;

	return fill_request(&request, item, all) ? request_make_channel(&request, active)
						 : NULL;
}

/* load(file,...): configurations and options of files. */
static void add_files(const char *names)
{
	static struct items items; /* too large for a stack */

	items_split(names, &items);
	for (size_t i = 0; i < items.count; i++) {
		specs_load(request_specs, items.items[i].name);
		if (*request_specs->message)
			complain("%s", request_specs->message);
	}
}

static struct channel *add_item(const struct item *item, const struct items *all,
				bool active, bool room)
{
	if (!strcmp(item->name, "metadata") && item->called)
		metadata_add(item->value ? item->value : "");
	else if (!strcmp(item->name, "load") && item->called)
		add_files(item->value ? item->value : "");
	else if (specs_configuration(request_specs, item->name) && room)
		return add_configuration(item, all, active);
	else if ((!specs_option(request_specs, item->name) || item->called) &&
		 (!item_is_off(item) || !unsupported_why(item->name)))
		complain_name(item->name);
	return NULL;
}

/* Of a list that is no option's. */
static void check_text(const char *text, const struct items *items)
{
	for (size_t i = 0; i < items->count; i++)
		if (items->items[i].lacks)
			complain("Expected value after \"%s=\" at %.15s",
				 items->items[i].name, items->items[i].lacks);
	if (items->has_empty && text[strspn(text, " \t\n")])
		complain_name("");
}

size_t config_text_create(struct trm_specs *specs, const char *text, bool active,
			  struct channel **ret_channels, char *ret_message,
			  size_t message_size)
{
	static struct trm_specs *of_texts; /* what texts without others load */
	static struct items items;
	size_t count = 0;

	if (!recording_ensure())
		return 0;
	runtime_lock(&specs_lock);
	complaints_begin(ret_message, message_size);
	if (!specs && !of_texts)
		of_texts = runtime_map(sizeof(*of_texts));
	request_specs = specs ? specs : of_texts;
	items_split(text ? text : "", &items);
	check_text(text ? text : "", &items);
	for (size_t i = 0; request_specs && i < items.count; i++) {
		struct channel *channel =
			add_item(&items.items[i], &items, active, count < CHANNELS_MAX);

		if (channel)
			ret_channels[count++] = channel;
	}
	runtime_unlock(&specs_lock);
	return count;
}

bool config_text_ask(struct trm_specs *specs, const char *text, const char *name,
		     const struct trm_runtime_answers *answers, char *ret_message,
		     size_t message_size)
{
	static struct request request;
	static struct items items;
	const struct item *item;

	if (!recording_ensure())
		return false;
	runtime_lock(&specs_lock);
	complaints_begin(ret_message, message_size);
	request_specs = specs;
	items_split(text, &items);
	item = items_find(&items, name);
	if (item && fill_request(&request, item, &items))
		answers_give(&request, item, &items, answers);
	runtime_unlock(&specs_lock);
	return !*ret_message;
}
