/* What the functions of cali::ConfigManager do: see caliper/ConfigManager.h. */
#ifndef CALI_CONFIGMANAGERIMPL_H
#define CALI_CONFIGMANAGERIMPL_H

#include "ConfigManager.h"

#ifdef __cplusplus

#include <cstdlib>

namespace cali
{

inline void ConfigManager::Options::add_argument(void *context, const char *option,
						 const char *value)
{
	of(context).arguments.push_back(std::make_pair(option, value));
}

inline void ConfigManager::Options::add_enabled(void *context, const char *option,
						bool is_bool)
{
	of(context).enabled.push_back(std::make_pair(option, is_bool));
}

inline void ConfigManager::Options::add_setting(void *context, const char *option,
						const char *key, const char *value)
{
	of(context).settings.push_back(Setting{option ? option : "", key, value});
}

inline void ConfigManager::Options::add_query(void *context, const char *level,
					      const char *clauses)
{
	of(context).queries.push_back(std::make_pair(level, clauses));
}

/* Each once, in order. */
inline void ConfigManager::Options::add_services(std::string &services,
						 const std::string &more)
{
	std::string all = services + "," + more, word;
	std::set<std::string> names;

	for (char c : all + ",")
		if (c != ',') {
			word += c;
		} else {
			names.insert(word);
			word.clear();
		}
	services.clear();
	for (const std::string &name : names)
		services += (services.empty() ? "" : ",") + name;
}

inline void ConfigManager::Options::apply(config_map_t &settings, bool of_options) const
{
	for (const Setting &setting : state_->settings) {
		if (setting.option.empty() == of_options)
			continue;
		if (setting.key == "CALI_SERVICES_ENABLE")
			add_services(settings[setting.key], setting.value);
		else
			settings[setting.key] = setting.value;
	}
}

inline bool ConfigManager::Options::is_set(const char *option) const
{
	for (const auto &argument : state_->arguments)
		if (argument.first == option)
			return true;
	return false;
}

inline bool ConfigManager::Options::is_enabled(const char *option) const
{
	for (const auto &enabled : state_->enabled)
		if (enabled.first == option)
			return true;
	return false;
}

inline std::string ConfigManager::Options::get(const char *option,
					       const char *otherwise) const
{
	for (const auto &argument : state_->arguments)
		if (argument.first == option)
			return argument.second;
	return otherwise;
}

inline std::vector<std::string> ConfigManager::Options::enabled_options() const
{
	std::vector<std::string> names;

	for (const auto &enabled : state_->enabled)
		if (enabled.second)
			names.push_back(enabled.first);
	return names;
}

inline void ConfigManager::Options::update_channel_metadata(info_map_t &metadata) const
{
	for (const auto &argument : state_->arguments)
		metadata["opts:" + argument.first] = argument.second;
}

inline std::string ConfigManager::Options::build_query(const char *level,
						       const std::string &query) const
{
	std::string all = query;

	for (const auto &part : state_->queries)
		if (part.first == level)
			all += " " + part.second;
	return all;
}

} // namespace cali

namespace cali
{

/* What commas part that are in no parentheses or quotes. */
inline std::vector<std::string> ConfigManager::items_of(const std::string &text)
{
	std::vector<std::string> items(1);
	char quote = '\0';
	int depth = 0;

	for (char c : text) {
		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else
			depth += (c == '(') - (c == ')' && depth);
		if (c == ',' && !depth && !quote)
			items.push_back("");
		else
			items.back() += c;
	}
	return items;
}

/* nullptr: it is none that has functions. */
inline const ConfigManager::Own *ConfigManager::own_of(const std::string &item) const
{
	const size_t from = item.find_first_not_of(" \t\n");
	const std::string name =
		from == std::string::npos
			? ""
			: item.substr(from, item.find_first_of("(= \t\n", from) - from);

	for (const Own &own : state_->own)
		if (own.name == name)
			return &own;
	return nullptr;
}

/* `rest`: options for all configurations are in it. */
inline ConfigManager::Options
ConfigManager::ask(const std::string &item, const std::string &rest, const Own &own) const
{
	Options options;
	const struct cali_answers answers = {options.state_.get(), Options::add_argument,
					     Options::add_enabled, Options::add_setting,
					     Options::add_query};

	options.state_->wrong = cali_manager_ask(manager(), (item + "," + rest).c_str(),
						 own.name.c_str(), &answers);
	if (options.state_->wrong.empty() && own.check_args)
		options.state_->wrong = own.check_args(options);
	return options;
}

/* Makes the controllers of what has functions. `rest`: gets what has none. */
inline bool ConfigManager::add_own(const std::string &text, std::string &rest,
				   ChannelList &to) const
{
	bool right = true;

	for (const std::string &item : items_of(text)) {
		const Own *own = own_of(item);

		if (!own || !own->create)
			rest += (rest.empty() ? "" : ",") + item;
	}
	for (const std::string &item : items_of(text)) {
		const Own *own = own_of(item);

		if (!own)
			continue;
		const Options options = ask(item, rest, *own);
		config_map_t settings;

		cali_manager_say(manager(), options.check().c_str());
		right &= options.check().empty();
		options.apply(settings, false);
		if (own->create && options.check().empty())
			to.push_back(ChannelPtr(
				own->create(own->name.c_str(), settings, options)));
	}
	return right;
}

inline bool ConfigManager::add(const std::string &text, ChannelList &to,
			       cali_extra_fn extra, void *context)
{
	std::string rest;
	const bool right = add_own(text, rest, to);

	if (rest.empty())
		return right;
	return (extra ? cali_manager_add_but(manager(), rest.c_str(), extra, context)
		      : cali_manager_add(manager(), rest.c_str())) &&
	       right;
}

inline bool ConfigManager::add(const char *configuration)
{
	return add(configuration, state_->controllers, nullptr, nullptr);
}

inline bool ConfigManager::add(const char *configuration, argmap_t &extra)
{
	return add(configuration, state_->controllers, note_extra, &extra);
}

inline void ConfigManager::add_config_spec(const ConfigInfo &info)
{
	const std::vector<std::string> before = available_config_specs();

	if (!cali_manager_specify(manager(), info.spec) ||
	    (!info.create && !info.check_args))
		return;
	/* A configuration may have several names. */
	for (const std::string &name : available_config_specs())
		if (std::count(before.begin(), before.end(), name) == 0)
			state_->own.push_back(Own{name, info.create, info.check_args});
}

inline void ConfigManager::start()
{
	cali_manager_start(manager());
	for (const ChannelPtr &controller : state_->controllers)
		controller->start();
}

inline void ConfigManager::stop()
{
	cali_manager_stop(manager());
	for (const ChannelPtr &controller : state_->controllers)
		controller->stop();
}

inline void ConfigManager::flush()
{
	cali_manager_flush(manager());
	for (const ChannelPtr &controller : state_->controllers)
		controller->flush();
}

inline std::string ConfigManager::check(const char *configuration,
					bool allows_extra) const
{
	std::string wrong = allows_extra
				    ? cali_manager_check_but(manager(), configuration)
				    : cali_manager_check(manager(), configuration);

	for (const std::string &item : items_of(configuration)) {
		const Own *own = own_of(item);

		if (own && own->check_args && wrong.empty())
			wrong = ask(item, configuration, *own).check();
	}
	return wrong;
}

} // namespace cali

namespace cali
{

inline std::vector<std::string> ConfigManager::available_config_specs() const
{
	std::vector<std::string> names;
	const char *name;

	for (size_t i = 0; (name = cali_manager_configuration_of(manager(), i)); i++)
		names.push_back(name);
	return names;
}

inline std::string ConfigManager::get_documentation_for_spec(const char *name) const
{
	char *text = cali_manager_document_of(manager(), name);
	std::string result = text ? text : "";

	std::free(text);
	return text ? result : std::string(name) + ": Not available";
}

inline std::string ConfigManager::get_description_for_spec(const char *name) const
{
	const std::string text = get_documentation_for_spec(name);

	const std::string::size_type end = text.find('\n');

	return end == std::string::npos
		       ? std::string()
		       : text.substr(end + 2, text.find('\n', end + 1) - end - 2);
}

inline std::vector<std::string> ConfigManager::get_config_docstrings()
{
	std::vector<std::string> texts = available_configs();

	for (std::string &text : texts)
		text = ConfigManager().get_documentation_for_spec(text.c_str());
	return texts;
}

inline ConfigManager::ChannelList ConfigManager::get_all_channels() const
{
	ChannelList found = state_->controllers;
	cali_id_t id;

	for (size_t i = 0; (id = cali_manager_channel(manager(), i)) != CALI_INV_ID; i++)
		found.push_back(std::make_shared<ChannelController>(Channel(id),
								    state_->manager));
	return found;
}

inline ConfigManager::ChannelPtr ConfigManager::get_channel(const char *name) const
{
	for (const ChannelPtr &channel : get_all_channels())
		if (channel->name() == name)
			return channel;
	return ChannelPtr();
}

inline ConfigManager::ChannelList ConfigManager::parse(const char *configuration)
{
	ConfigManager other(cali_manager_create_like(manager()));

	other.state_->own = state_->own;
	if (!other.add(configuration))
		cali_manager_say(manager(), other.error_msg().c_str());
	return other.get_all_channels();
}

} // namespace cali

#endif

#endif
