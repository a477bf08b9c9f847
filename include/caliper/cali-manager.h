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
void cali_manager_start(struct cali_manager *manager);
void cali_manager_stop(struct cali_manager *manager);
void cali_manager_flush(struct cali_manager *manager);

#ifdef __cplusplus
}

#include <string>

namespace cali
{

class ConfigManager
{
	struct cali_manager *manager_;

      public:
	ConfigManager() : manager_(cali_manager_create())
	{
	}
	explicit ConfigManager(const char *configuration)
	    : manager_(cali_manager_create())
	{
		add(configuration);
	}
	~ConfigManager()
	{
		cali_manager_destroy(manager_);
	}
	ConfigManager(const ConfigManager &) = delete;
	ConfigManager &operator=(const ConfigManager &) = delete;

	bool add(const char *configuration)
	{
		return cali_manager_add(manager_, configuration);
	}
	void set_default_parameter(const char *option, const char *value)
	{
		cali_manager_set_default(manager_, option, value);
	}
	bool error() const
	{
		return !error_msg().empty();
	}
	std::string error_msg() const
	{
		return cali_manager_message(manager_);
	}
	/* What is wrong with a configuration; "": nothing. */
	std::string check(const char *configuration) const
	{
		return cali_manager_check(manager_, configuration);
	}
	void start()
	{
		cali_manager_start(manager_);
	}
	void stop()
	{
		cali_manager_stop(manager_);
	}
	void flush()
	{
		cali_manager_flush(manager_);
	}
};

} // namespace cali

#endif

#endif
