#include "base/error.h"
#include "trammel/control.h"

#define EXPORT __attribute__((visibility("default")))

_Static_assert((int)TRM_CONTROL_USAGE == (int)TRM_ERROR_USAGE &&
		       (int)TRM_CONTROL_SYSTEM == (int)TRM_ERROR_SYSTEM &&
		       (int)TRM_CONTROL_FORMAT == (int)TRM_ERROR_FORMAT &&
		       (int)TRM_CONTROL_UNSUPPORTED == (int)TRM_ERROR_UNSUPPORTED &&
		       (int)TRM_CONTROL_GONE == (int)TRM_ERROR_GONE &&
		       (int)TRM_CONTROL_LIMIT == (int)TRM_ERROR_LIMIT,
	       "errors have the same codes inside and outside");

EXPORT enum trm_control_code trm_error_code(const struct trm_error *error)
{
	return (enum trm_control_code)error->code;
}

EXPORT int trm_error_errno(const struct trm_error *error)
{
	return error->system_code;
}

EXPORT const char *trm_error_message(const struct trm_error *error)
{
	return error->message;
}

EXPORT void trm_error_release(struct trm_error *error)
{
	trm_error_destroy(error);
}
