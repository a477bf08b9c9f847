/* The page without data: made by page/build.js, put in here by embed.py. */
#ifndef TRAMMEL_PAGE_TEMPLATE_H
#define TRAMMEL_PAGE_TEMPLATE_H

/* Stands where the data goes. */
#define PAGE_PLACE "@@TRAMMEL_DATA@@"

/* Bytes of the page. 0: trammel was built without it. */
extern const char page_template[];
extern const unsigned int page_template_size;

#endif
