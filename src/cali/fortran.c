/*
 * Functions called by the Fortran module `caliper_mod` (caliper_mod.f90): the C
 * interface, with texts as bytes and their number. Trailing blanks do not count.
 */
#include "cali/own.h"

#include "caliper/cali-manager.h"
#include "caliper/cali-profile.h"
#include "caliper/wrapAnnotation.h"

#include <stdlib.h>
#include <string.h>

/* A copy with a 0 behind it, which takes no memory of the heap unless it is long. */
struct text {
	char *at, room[256];
};

static void text_init(struct text *text, const char *bytes, size_t length)
{
	while (length && bytes[length - 1] == ' ')
		length--;
	text->at = length < sizeof(text->room) ? NULL : malloc(length + 1);
	if (!text->at) {
		text->at = text->room;
		length = length < sizeof(text->room) ? length : sizeof(text->room) - 1;
	}
	memcpy(text->at, bytes, length);
	text->at[length] = '\0';
}

static void text_deinit(struct text *text)
{
	if (text->at != text->room)
		free(text->at);
}

#define COPY(name)                                                                       \
	__attribute__((cleanup(text_deinit))) struct text name##_copy;                   \
	text_init(&name##_copy, name, name##_length)

/* Parameters and arguments; what are handles, numbers and texts. */
#define TEXT(name) const char *name, size_t name##_length

#define DEFINE_1(function)                                                               \
	PUBLIC void califor_##function(TEXT(a));                                         \
	PUBLIC void califor_##function(TEXT(a))                                          \
	{                                                                                \
		COPY(a);                                                                 \
		cali_##function(a_copy.at);                                              \
	}
DEFINE_1(begin_region)
DEFINE_1(end_region)
DEFINE_1(begin_phase)
DEFINE_1(end_phase)
DEFINE_1(end_byname)

#define DEFINE_2(function)                                                               \
	PUBLIC void califor_##function(TEXT(a), TEXT(b));                                \
	PUBLIC void califor_##function(TEXT(a), TEXT(b))                                 \
	{                                                                                \
		COPY(a);                                                                 \
		COPY(b);                                                                 \
		cali_##function(a_copy.at, b_copy.at);                                   \
	}
DEFINE_2(config_preset)
DEFINE_2(config_set)
DEFINE_2(begin_string_byname)
DEFINE_2(set_global_string_byname)

#define DEFINE_NUMBER(function, type)                                                    \
	PUBLIC void califor_##function(TEXT(a), type number);                            \
	PUBLIC void califor_##function(TEXT(a), type number)                             \
	{                                                                                \
		COPY(a);                                                                 \
		cali_##function(a_copy.at, number);                                      \
	}
DEFINE_NUMBER(begin_int_byname, int)
DEFINE_NUMBER(set_global_int_byname, int)
DEFINE_NUMBER(set_global_double_byname, double)
DEFINE_NUMBER(ScopeAnnotation_begin, cali_ScopeAnnotation *)
DEFINE_NUMBER(Annotation_new, cali_Annotation *)

#define DEFINE_FIND(function)                                                            \
	PUBLIC cali_id_t califor_##function(TEXT(a));                                    \
	PUBLIC cali_id_t califor_##function(TEXT(a))                                     \
	{                                                                                \
		COPY(a);                                                                 \
		return cali_##function(a_copy.at);                                       \
	}
DEFINE_FIND(find_attribute)
DEFINE_FIND(make_loop_iteration_attribute)

#define DEFINE_OF(function, type, result)                                                \
	PUBLIC result califor_##function(type of, TEXT(a));                              \
	PUBLIC result califor_##function(type of, TEXT(a))                               \
	{                                                                                \
		COPY(a);                                                                 \
		return cali_##function(of, a_copy.at);                                   \
	}
DEFINE_OF(begin_string, cali_id_t, void)
DEFINE_OF(Annotation_begin_string, cali_Annotation *, void)
DEFINE_OF(Annotation_set_string, cali_Annotation *, void)
DEFINE_OF(ConfigManager_add, cali_ConfigManager *, void)
DEFINE_OF(ConfigManager_add_config_spec, cali_ConfigManager *, void)
DEFINE_OF(ConfigManager_add_option_spec, cali_ConfigManager *, void)
DEFINE_OF(BufferedRegionProfile_region_time, cali_BufferedRegionProfile *, double)

PUBLIC cali_id_t califor_create_attribute(TEXT(a), int type, int properties);
PUBLIC cali_id_t califor_create_attribute(TEXT(a), int type, int properties)
{
	COPY(a);
	return cali_create_attribute(a_copy.at, (cali_attr_type)type, properties);
}

PUBLIC void califor_Annotation_new_with_properties(TEXT(a), int properties,
						   cali_Annotation *annotation);
PUBLIC void califor_Annotation_new_with_properties(TEXT(a), int properties,
						   cali_Annotation *annotation)
{
	COPY(a);
	cali_Annotation_new_with_properties(a_copy.at, properties, annotation);
}

PUBLIC void califor_ConfigManager_set_default_parameter(cali_ConfigManager *manager,
							TEXT(a), TEXT(b));
PUBLIC void califor_ConfigManager_set_default_parameter(cali_ConfigManager *manager,
							TEXT(a), TEXT(b))
{
	COPY(a);
	COPY(b);
	cali_ConfigManager_set_default_parameter(manager, a_copy.at, b_copy.at);
}

PUBLIC void
califor_ConfigManager_set_default_parameter_for_config(cali_ConfigManager *manager,
						       TEXT(a), TEXT(b), TEXT(c));
PUBLIC void
califor_ConfigManager_set_default_parameter_for_config(cali_ConfigManager *manager,
						       TEXT(a), TEXT(b), TEXT(c))
{
	COPY(a);
	COPY(b);
	COPY(c);
	cali_ConfigManager_set_default_parameter_for_config(manager, a_copy.at, b_copy.at,
							    c_copy.at);
}

PUBLIC const char *califor_message(const cali_ConfigManager *manager, size_t *ret_length);
PUBLIC const char *califor_message(const cali_ConfigManager *manager, size_t *ret_length)
{
	const char *text = cali_manager_message(manager->addr);

	*ret_length = strlen(text);
	return text;
}
