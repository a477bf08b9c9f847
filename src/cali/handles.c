/* Regions and attributes as handles. */
#include "cali/own.h"

#include "caliper/wrapAnnotation.h"

#include <stdlib.h>
#include <string.h>

/* The name that the runtime keeps is the handle: nothing is allocated. */
PUBLIC cali_ScopeAnnotation *cali_ScopeAnnotation_begin(const char *name,
							cali_ScopeAnnotation *region)
{
	cali_variant_t open;

	cali_begin_region(name);
	open = cali_get(cali_region_attr_id);
	*region = (cali_ScopeAnnotation){(void *)(uintptr_t)cali_variant_get_data(&open),
					 0};
	return region;
}

PUBLIC void cali_ScopeAnnotation_end(cali_ScopeAnnotation *region)
{
	if (region->addr)
		cali_end_region(region->addr);
	region->addr = NULL;
}

struct annotation {
	cali_id_t attribute; /* CALI_INV_ID: it was not used yet */
	int properties;
	char name[];
};

PUBLIC cali_Annotation *cali_Annotation_new_with_properties(const char *name,
							    int properties,
							    cali_Annotation *annotation)
{
	size_t size = strlen(name) + 1;
	struct annotation *made = malloc(sizeof(*made) + size);

	if (made) {
		made->attribute = CALI_INV_ID;
		made->properties = properties;
		memcpy(made->name, name, size);
	}
	*annotation = (cali_Annotation){made, 0};
	return annotation;
}

PUBLIC cali_Annotation *cali_Annotation_new(const char *name, cali_Annotation *annotation)
{
	return cali_Annotation_new_with_properties(name, CALI_ATTR_DEFAULT, annotation);
}

PUBLIC void cali_Annotation_delete(cali_Annotation *annotation)
{
	free(annotation->addr);
	annotation->addr = NULL;
}

static cali_id_t attribute_of(const cali_Annotation *annotation, cali_attr_type type)
{
	struct annotation *own = annotation->addr;

	if (!own)
		return CALI_INV_ID;
	if (own->attribute == CALI_INV_ID)
		own->attribute =
			type == CALI_TYPE_INV
				? cali_find_attribute(own->name)
				: cali_create_attribute(own->name, type, own->properties);
	return own->attribute;
}

/* Begin and set, for a type. */
#define DEFINE_HANDLED(word, type, cali_type)                                            \
	PUBLIC void cali_Annotation_begin_##word(cali_Annotation *annotation,            \
						 type value)                             \
	{                                                                                \
		cali_begin_##word(attribute_of(annotation, cali_type), value);           \
	}                                                                                \
	PUBLIC void cali_Annotation_set_##word(cali_Annotation *annotation, type value)  \
	{                                                                                \
		cali_set_##word(attribute_of(annotation, cali_type), value);             \
	}

DEFINE_HANDLED(int, int, CALI_TYPE_INT)
DEFINE_HANDLED(string, const char *, CALI_TYPE_STRING)

PUBLIC void cali_Annotation_end(cali_Annotation *annotation)
{
	cali_end(attribute_of(annotation, CALI_TYPE_INV));
}
