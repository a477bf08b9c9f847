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

#include <cstdlib>
#include <iostream>
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

      public:
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
	void set_default_parameter(const char *option, const char *value)
	{
		cali_manager_set_default(manager_.get(), option, value);
	}
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
	static std::string check_config_string(const char *configuration, bool = false);
	bool error() const
	{
		return !error_msg().empty();
	}
	std::string error_msg() const
	{
		return cali_manager_message(manager_.get());
	}
	/* What is wrong with a configuration; "": nothing. */
	std::string check(const char *configuration, bool = false) const;
	void start()
	{
		cali_manager_start(manager_.get());
	}
	void stop()
	{
		cali_manager_stop(manager_.get());
	}
	void flush()
	{
		cali_manager_flush(manager_.get());
	}
};

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

inline std::string ConfigManager::check_config_string(const char *configuration, bool)
{
	return ConfigManager().check(configuration);
}

inline std::string ConfigManager::check(const char *configuration, bool) const
{
	return cali_manager_check(manager_.get(), configuration);
}

inline void ConfigManager::load(const char *path)
{
	cali_manager_load(manager_.get(), path);
}

} // namespace cali

#endif

#endif
