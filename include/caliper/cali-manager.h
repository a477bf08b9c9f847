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
/* Takes what a text says of a configuration, in these calls. Texts go when a
 * function returns. */
struct cali_answers {
	void *context;
	/* An option that the text, or a default, gives. */
	void (*argument)(void *context, const char *option, const char *value);
	/* One that is on, or that such a one inherits; whether it is true or false. */
	void (*enabled)(void *context, const char *option, bool is_bool);
	/* `option`: NULL: of the configuration itself. */
	void (*setting)(void *context, const char *option, const char *key,
			const char *value);
	/* What the option adds to queries of a level, "local" or "cross". */
	void (*query)(void *context, const char *level, const char *clauses);
};
/* Of the configuration of this name in a text; no channel is made. Returns lines that say
 * what is wrong, until the next call; "": nothing. */
const char *cali_manager_ask(struct cali_manager *manager, const char *configuration,
			     const char *name, const struct cali_answers *answers);
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

#ifdef __cplusplus
}
#endif

#include "wrapConfigManager.h"

#ifdef __cplusplus
#include "ConfigManager.h"
#endif

#endif
