/*
 * Measurement configurations that a program controls, in C++11:
 *
 *     cali::ConfigManager manager;
 *
 *     manager.add("runtime-report(output=stdout)");
 *     if (manager.error())
 *             std::cerr << manager.error_msg() << std::endl;
 *     manager.start();
 *     ...
 *     manager.flush();
 *
 * What is wrong in a configuration is told by error_msg(), and the rest of it works.
 */
#ifndef CALI_CONFIGMANAGER_H
#define CALI_CONFIGMANAGER_H

#include "cali-manager.h"

#ifdef __cplusplus

#include "ChannelController.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cali
{

/* Copies are the same manager; its channels stop with the last of them. */
class ConfigManager
{
      public:
	typedef std::shared_ptr<ChannelController> ChannelPtr;
	typedef std::vector<ChannelPtr> ChannelList;
	typedef std::map<std::string, std::string> argmap_t;
	typedef std::vector<std::pair<std::string, std::string>> arglist_t;

	/* What a text says of a configuration: its options. */
	class Options
	{
		struct Setting {
			std::string option, key, value; /* option: "": of no option */
		};
		struct State {
			arglist_t arguments, queries; /* level, clauses */
			std::vector<std::pair<std::string, bool>> enabled;
			std::vector<Setting> settings;
			std::string wrong;
		};
		std::shared_ptr<State> state_;
		friend class ConfigManager;

		Options() : state_(std::make_shared<State>())
		{
		}
		static State &of(void *context)
		{
			return *static_cast<State *>(context);
		}
		static void add_argument(void *context, const char *option,
					 const char *value);
		static void add_enabled(void *context, const char *option, bool is_bool);
		static void add_setting(void *context, const char *option,
					const char *key, const char *value);
		static void add_query(void *context, const char *level,
				      const char *clauses);
		static void add_services(std::string &services, const std::string &more);
		void apply(config_map_t &settings, bool of_options) const;

	      public:
		/* Whether the text, or a default, gives it. */
		bool is_set(const char *option) const;
		/* The same, and it is not false; or another one inherits it. */
		bool is_enabled(const char *option) const;
		std::string get(const char *option, const char *otherwise = "") const;
		/* What is wrong; "": nothing. */
		std::string check() const
		{
			return state_->wrong;
		}
		/* Those that are true or false, and are true. */
		std::vector<std::string> enabled_options() const;
		/* Adds the settings and services that options need. */
		void update_channel_config(config_map_t &settings) const
		{
			apply(settings, true);
		}
		/* Adds the options, as opts:NAME. */
		void update_channel_metadata(info_map_t &metadata) const;
		/* A query with what options add for a level, "local" or "cross". */
		std::string build_query(const char *level,
					const std::string &query) const;
	};

	/* Makes the controller of a configuration: of its name and settings; the manager
	 * owns it. */
	typedef ChannelController *(*CreateConfigFn)(const char *name,
						     const config_map_t &settings,
						     const Options &options);
	/* Says what is wrong with options, besides what Options::check() does. */
	typedef std::string (*CheckArgsFn)(const Options &options);

	/* A configuration in JSON; either function may be nullptr. */
	struct ConfigInfo {
		const char *spec;
		CreateConfigFn create;
		CheckArgsFn check_args;
	};

      private:
	struct Own {
		std::string name;
		CreateConfigFn create;
		CheckArgsFn check_args;
	};
	struct State {
		std::shared_ptr<struct cali_manager> manager;
		std::vector<Own> own; /* what has functions */
		ChannelList controllers;
	};
	std::shared_ptr<State> state_;
	friend class MpiChannelManager;
	friend void add_global_config_specs(const ConfigInfo **infos);

	static std::vector<const ConfigInfo *> &global_infos()
	{
		static auto *infos = new std::vector<const ConfigInfo *>;

		return *infos;
	}
	explicit ConfigManager(struct cali_manager *manager)
	    : state_(std::make_shared<State>())
	{
		state_->manager.reset(manager, cali_manager_destroy);
	}
	static void note_extra(void *context, const char *name, const char *value)
	{
		(*static_cast<argmap_t *>(context))[name] = value;
	}
	struct cali_manager *manager() const
	{
		return state_->manager.get();
	}
	static std::vector<std::string> items_of(const std::string &text);
	const Own *own_of(const std::string &item) const;
	Options ask(const std::string &item, const std::string &rest,
		    const Own &own) const;
	bool add_own(const std::string &text, std::string &rest, ChannelList &to) const;
	bool add(const std::string &text, ChannelList &to, cali_extra_fn extra,
		 void *context);

      public:
	ConfigManager() : ConfigManager(cali_manager_create())
	{
		for (const ConfigInfo *info : global_infos())
			add_config_spec(*info);
	}
	explicit ConfigManager(const char *configuration) : ConfigManager()
	{
		add(configuration);
	}

	bool add(const char *configuration);
	/* What no configuration or option is called goes to `extra`, with its value. */
	bool add(const char *configuration, argmap_t &extra);
	/* Channels of configurations as of add(), which are not this manager's. */
	ChannelList parse(const char *configuration);
	/* The channels that were added; the first one of a name, or none. They go with
	 * the last of manager and controllers. */
	ChannelList get_all_channels() const;
	ChannelPtr get_channel(const char *name) const;
	void set_default_parameter(const char *option, const char *value)
	{
		cali_manager_set_default(manager(), option, value);
	}
	void set_default_parameter_for_config(const char *configuration,
					      const char *option, const char *value)
	{
		cali_manager_set_default_for(manager(), configuration, option, value);
	}
	void add_config_spec(const char *json)
	{
		cali_manager_specify(manager(), json);
	}
	/* Its channels are what its function makes. */
	void add_config_spec(const ConfigInfo &info);
	void add_option_spec(const char *json)
	{
		cali_manager_specify(manager(), json);
	}
	void load(const char *path)
	{
		cali_manager_load(manager(), path);
	}
	std::vector<std::string> available_config_specs() const;
	std::string get_documentation_for_spec(const char *name) const;
	std::string get_description_for_spec(const char *name) const;
	static std::vector<std::string> available_configs()
	{
		return ConfigManager().available_config_specs();
	}
	static std::vector<std::string> get_config_docstrings();
	static std::string check_config_string(const char *configuration,
					       bool allows_extra = false)
	{
		return ConfigManager().check(configuration, allows_extra);
	}
	bool error() const
	{
		return !error_msg().empty();
	}
	std::string error_msg() const
	{
		return cali_manager_message(manager());
	}
	/* What is wrong with a configuration; "": nothing. `allows_extra`: as add() does
	 * with `extra`. */
	std::string check(const char *configuration, bool allows_extra = false) const;
	void start();
	void stop();
	void flush();
};

/* Configurations for all managers to come; nullptr at the end. They stay. */
inline void add_global_config_specs(const ConfigManager::ConfigInfo **infos)
{
	for (; infos && *infos; infos++)
		ConfigManager::global_infos().push_back(*infos);
}

} // namespace cali

#include "ConfigManagerImpl.h"

#endif

#endif
