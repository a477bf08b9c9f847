/* Managers of configurations under the names that programs in C and Fortran know: see
 * caliper/cali-manager.h. */
#ifndef CALI_WRAPCONFIGMANAGER_H
#define CALI_WRAPCONFIGMANAGER_H

#include "typesCaliper.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct s_cali_ConfigManager {
	void *addr; /* the manager */
	int idtor;
} cali_ConfigManager;

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

#ifdef __cplusplus
}
#endif

#endif
