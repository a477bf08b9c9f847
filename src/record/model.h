/* Attributes and the context tree of one profile. */
#ifndef TRAMMEL_RECORD_MODEL_H
#define TRAMMEL_RECORD_MODEL_H

#include "record/record.h"

/* Attributes and context tree of one profile. */
struct record_model *record_model_create(void);
void record_model_destroy(struct record_model *model);

/* The attribute of this name; made with type and properties if it is new. Error
 * (TRM_ERROR_USAGE) if it exists with another type. */
struct trm_error *record_attribute_intern(struct record_model *model, const char *name,
					  enum record_type type, uint32_t properties,
					  record_attribute *ret_attribute);

/* Returns the attribute of a name, made if it is new; if it exists with another type,
 * the attribute of the name with the type appended ("level.string"). */
record_attribute record_attribute_make(struct record_model *model, const char *name,
				       enum record_type type, uint32_t properties);
bool record_attribute_find(const struct record_model *model, const char *name,
			   record_attribute *ret_attribute);
const char *record_attribute_name(const struct record_model *model, record_attribute id);
enum record_type record_attribute_type(const struct record_model *model,
				       record_attribute id);
uint32_t record_attribute_properties(const struct record_model *model,
				     record_attribute id);
size_t record_attribute_count(const struct record_model *model);

/*
 * Says something of an attribute: `key` (another one, such as attribute.unit) has this
 * value for it. The value is copied and must have the type of `key`. What was said with
 * the same key before is replaced.
 */
void record_attribute_describe(struct record_model *model, record_attribute attribute,
			       record_attribute key, struct record_value value);

/* Returns the descriptions of an attribute, in the order in which they were first
 * given. The pairs are valid until the next description of the attribute. */
size_t record_attribute_descriptions(const struct record_model *model,
				     record_attribute id);
struct record_pair record_attribute_description(const struct record_model *model,
						record_attribute id, size_t number);

/* Returns the child of `parent` for attribute = value, made if it is new. The value is
 * copied; it must have the attribute's type (numbers of another type are taken bit by
 * bit). The time of a search does not depend on the number of siblings. */
record_node record_node_child(struct record_model *model, record_node parent,
			      record_attribute attribute, struct record_value value);
record_node record_node_parent(const struct record_model *model, record_node node);
struct record_pair record_node_pair(const struct record_model *model, record_node node);
size_t record_node_count(const struct record_model *model);

#endif
