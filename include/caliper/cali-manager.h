/*
 * Measurement configurations that a program controls, with the interface of LLNL's
 * Caliper: see caliper/cali.h.
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
#ifndef CALI_CALI_MANAGER_H
#define CALI_CALI_MANAGER_H

#include "cali.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cali_manager;

/* NULL: there is no memory. */
struct cali_manager *cali_manager_create(void);
/* Its channels stop; nothing is written. */
void cali_manager_destroy(struct cali_manager *manager);
/* Adds configurations of the one-line form. Returns whether nothing was wrong. */
bool cali_manager_add(struct cali_manager *manager, const char *configuration);
/* What was wrong with what was added or is not there: lines; "": nothing. */
const char *cali_manager_message(const struct cali_manager *manager);
/* What was wrong with a text; nothing is added. Valid until the next call. */
const char *cali_manager_check(struct cali_manager *manager, const char *configuration);
/* An option for all configurations that are added from now on. */
void cali_manager_set_default(struct cali_manager *manager, const char *option,
			      const char *value);
/* The same for those of one name. */
void cali_manager_set_default_for(struct cali_manager *manager, const char *configuration,
				  const char *option, const char *value);
/* One that knows and says by itself what this one does, without its channels. */
struct cali_manager *cali_manager_create_like(struct cali_manager *manager);

/* Takes what no configuration or option has the name of; `value`: "" where there is none.
 */
typedef void (*cali_extra_fn)(void *context, const char *name, const char *value);
/* As cali_manager_add and cali_manager_check for a text that may have something else
 * between configurations. */
bool cali_manager_add_but(struct cali_manager *manager, const char *configuration,
			  cali_extra_fn extra, void *context);
const char *cali_manager_check_but(struct cali_manager *manager,
				   const char *configuration);
/* The channels that were made, by number from 0 on; CALI_INV_ID behind the last one. They
 * go with the manager. */
cali_id_t cali_manager_channel(struct cali_manager *manager, size_t number);

void cali_manager_start(struct cali_manager *manager);
void cali_manager_stop(struct cali_manager *manager);
void cali_manager_flush(struct cali_manager *manager);
/* Whether it has what ranks of a parallel program write together. */
bool cali_manager_is_across(const struct cali_manager *manager);
/* A flush of all ranks of a communicator (its address; NULL: of this process alone), to
 * the end of a file, or where configurations say (NULL). */
void cali_manager_flush_across(struct cali_manager *manager, const void *communicator,
			       const char *path);

/* The configurations that there are, by number from 0 on; NULL behind the last one.
 * `manager`: with its own, or NULL. */
const char *cali_manager_configuration_of(const struct cali_manager *manager,
					  size_t number);
/* What a configuration and its options are: lines, to be free()d; NULL: nobody knows it.
 */
char *cali_manager_document_of(const struct cali_manager *manager,
			       const char *configuration);
/* The same without a manager. */
const char *cali_manager_configuration(size_t number);
char *cali_manager_document(const char *configuration);
/* Adds a configuration or an option of the program's own, or several, in JSON. Returns
 * whether nothing was wrong. */
bool cali_manager_specify(struct cali_manager *manager, const char *json);
/* Adds what a file has: the same, or configurations of the one-line form, with lines that
 * begin with # left out. Returns whether nothing was wrong. */
bool cali_manager_load(struct cali_manager *manager, const char *path);
/* Adds to what was wrong. */
void cali_manager_say(struct cali_manager *manager, const char *wrong);
/* Says that something of the peer's cannot be had. */
void cali_manager_refuse(struct cali_manager *manager, const char *what);

/*
 * The same under the names that programs in C and Fortran know.
 */
typedef struct s_cali_ConfigManager {
	void *addr; /* the manager */
	int idtor;
} cali_ConfigManager;

typedef struct s_cali_SHROUD_capsule_data {
	void *addr; /* to be free()d */
	int idtor;
} cali_SHROUD_capsule_data;

/* A text. */
typedef struct s_cali_SHROUD_array {
	cali_SHROUD_capsule_data cxx;
	union {
		const void *base;
		const char *ccharp;
	} addr;
	int type;
	size_t elem_len; /* bytes */
	size_t size;
	int rank;
	long shape[7];
} cali_SHROUD_array;

cali_ConfigManager *cali_ConfigManager_new(cali_ConfigManager *manager);
void cali_ConfigManager_delete(cali_ConfigManager *manager);
void cali_ConfigManager_set_default_parameter(cali_ConfigManager *manager,
					      const char *option, const char *value);
void cali_ConfigManager_set_default_parameter_for_config(cali_ConfigManager *manager,
							 const char *configuration,
							 const char *option,
							 const char *value);
void cali_ConfigManager_add_config_spec(cali_ConfigManager *manager, const char *text);
void cali_ConfigManager_add_option_spec(cali_ConfigManager *manager, const char *text);
void cali_ConfigManager_add(cali_ConfigManager *manager, const char *configuration);
bool cali_ConfigManager_error(cali_ConfigManager *manager);
void cali_ConfigManager_error_msg_bufferify(cali_ConfigManager *manager,
					    cali_SHROUD_array *ret_text);
void cali_ConfigManager_start(cali_ConfigManager *manager);
void cali_ConfigManager_stop(cali_ConfigManager *manager);
void cali_ConfigManager_flush(cali_ConfigManager *manager);
void cali_SHROUD_memory_destructor(cali_SHROUD_capsule_data *capsule);

#ifdef __cplusplus
}

#include "ChannelController.h"

#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cali
{

/* Copies are the same manager; its channels stop with the last of them. */
class ConfigManager
{
	std::shared_ptr<struct cali_manager> manager_;
	friend class MpiChannelManager;

	static void note_extra(void *context, const char *name, const char *value)
	{
		(*static_cast<std::map<std::string, std::string> *>(context))[name] =
			value;
	}

      public:
	typedef std::shared_ptr<ChannelController> ChannelPtr;
	typedef std::vector<ChannelPtr> ChannelList;
	typedef std::map<std::string, std::string> argmap_t;

	ConfigManager() : manager_(cali_manager_create(), cali_manager_destroy)
	{
	}
	explicit ConfigManager(const char *configuration)
	    : manager_(cali_manager_create(), cali_manager_destroy)
	{
		add(configuration);
	}

	bool add(const char *configuration)
	{
		return cali_manager_add(manager_.get(), configuration);
	}
	/* What no configuration or option is called goes to `extra`, with its value. */
	bool add(const char *configuration, argmap_t &extra)
	{
		return cali_manager_add_but(manager_.get(), configuration, note_extra,
					    &extra);
	}
	/* Channels of configurations as of add(), which are not this manager's. */
	ChannelList parse(const char *configuration);
	/* The channels that were added; the first one of a name, or none. They go with
	 * the last of manager and controllers. */
	ChannelList get_all_channels() const;
	ChannelPtr get_channel(const char *name) const;
	void set_default_parameter(const char *option, const char *value);
	void set_default_parameter_for_config(const char *configuration,
					      const char *option, const char *value);
	void add_config_spec(const char *json);
	void add_option_spec(const char *json);
	void load(const char *path);
	std::vector<std::string> available_config_specs() const;
	std::string get_documentation_for_spec(const char *name) const;
	std::string get_description_for_spec(const char *name) const;
	static std::vector<std::string> available_configs();
	static std::vector<std::string> get_config_docstrings();
	static std::string check_config_string(const char *configuration,
					       bool allows_extra = false);
	bool error() const
	{
		return !error_msg().empty();
	}
	std::string error_msg() const
	{
		return cali_manager_message(manager_.get());
	}
	/* What is wrong with a configuration; "": nothing. `allows_extra`: as add() does
	 * with `extra`. */
	std::string check(const char *configuration, bool allows_extra = false) const;
	void start();
	void stop();
	void flush();
};

} // namespace cali

namespace cali
{

inline void ConfigManager::start()
{
	cali_manager_start(manager_.get());
}

inline void ConfigManager::stop()
{
	cali_manager_stop(manager_.get());
}

inline void ConfigManager::flush()
{
	cali_manager_flush(manager_.get());
}

inline void ConfigManager::set_default_parameter(const char *option, const char *value)
{
	cali_manager_set_default(manager_.get(), option, value);
}

inline void ConfigManager::set_default_parameter_for_config(const char *configuration,
							    const char *option,
							    const char *value)
{
	cali_manager_set_default_for(manager_.get(), configuration, option, value);
}

inline void ConfigManager::add_config_spec(const char *json)
{
	cali_manager_specify(manager_.get(), json);
}

inline void ConfigManager::add_option_spec(const char *json)
{
	cali_manager_specify(manager_.get(), json);
}

inline std::vector<std::string> ConfigManager::available_config_specs() const
{
	std::vector<std::string> names;
	const char *name;

	for (size_t i = 0; (name = cali_manager_configuration_of(manager_.get(), i)); i++)
		names.push_back(name);
	return names;
}

inline std::string ConfigManager::get_documentation_for_spec(const char *name) const
{
	char *text = cali_manager_document_of(manager_.get(), name);
	std::string result = text ? text : "";

	std::free(text);
	return text ? result : std::string(name) + ": there is none";
}

inline std::string ConfigManager::get_description_for_spec(const char *name) const
{
	const std::string text = get_documentation_for_spec(name);

	return text.substr(0, text.find('\n'));
}

inline std::vector<std::string> ConfigManager::available_configs()
{
	return ConfigManager().available_config_specs();
}

inline std::vector<std::string> ConfigManager::get_config_docstrings()
{
	std::vector<std::string> texts = available_configs();

	for (std::string &text : texts)
		text = ConfigManager().get_documentation_for_spec(text.c_str());
	return texts;
}

inline std::string ConfigManager::check_config_string(const char *configuration,
						      bool allows_extra)
{
	return ConfigManager().check(configuration, allows_extra);
}

inline std::string ConfigManager::check(const char *configuration,
					bool allows_extra) const
{
	return allows_extra ? cali_manager_check_but(manager_.get(), configuration)
			    : cali_manager_check(manager_.get(), configuration);
}

} // namespace cali

namespace cali
{

inline ConfigManager::ChannelList ConfigManager::get_all_channels() const
{
	ChannelList found;
	cali_id_t id;

	for (size_t i = 0; (id = cali_manager_channel(manager_.get(), i)) != CALI_INV_ID;
	     i++)
		found.push_back(
			std::make_shared<ChannelController>(Channel(id), manager_));
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
	ConfigManager other;

	other.manager_.reset(cali_manager_create_like(manager_.get()),
			     cali_manager_destroy);
	if (!other.add(configuration))
		cali_manager_say(manager_.get(), other.error_msg().c_str());
	return other.get_all_channels();
}

inline void ConfigManager::load(const char *path)
{
	cali_manager_load(manager_.get(), path);
}

} // namespace cali

#endif

#endif
