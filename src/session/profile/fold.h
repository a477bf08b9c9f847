/* Counts of images become a profile: see docs/profile.md. */
#ifndef TRAMMEL_SESSION_PROFILE_FOLD_H
#define TRAMMEL_SESSION_PROFILE_FOLD_H

#include "session/profile/saving.h"
#include "session/state/session.h"

record_node saving_module_node(struct saving *saving, const struct module_file *file);

/* The node of a function, below that of its module. */
record_node saving_function_node(struct saving *saving, const struct module_file *file,
				 const struct plan_function *function);

/* What saving_function_name gives; the caller frees. */
char *saving_make_name(const struct module_file *file,
		       const struct plan_function *function);

/* The name of a function as profiles have it, until saving_forget_names. */
const char *saving_function_name(struct saving *saving, const struct module_file *file,
				 const struct plan_function *function);

void saving_forget_names(struct saving *saving);

/* The words of a command line as a shell would need them; the caller frees. */
char *saving_command(const char *const *words);

/* "0", "3", "SIGKILL": a status of waitpid. */
void saving_describe_exit(int status, char *text, size_t size);

/* Writes a global of the profile. */
struct trm_error *saving_global(struct saving *saving, const char *name,
				struct record_value value);

void saving_write(struct saving *saving, record_node node, struct record_pair *pairs,
		  size_t count);

/* Writes the profile of what was counted until now, whole or not at all. */
struct trm_error *fold_save(struct session *session, const char *path);

/* Whether a profile has counts of a function's blocks. Those of a cold part are written
 * in the same way as those of the rest of its function, or not at all. */
bool saving_is_told(const struct plan *plan, const struct plan_function *function);

#endif
