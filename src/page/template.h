/* The page without data: made by page/build.js, put in here by embed.py. */
#ifndef TRAMMEL_PAGE_TEMPLATE_H
#define TRAMMEL_PAGE_TEMPLATE_H

/* Stand where the data goes: what is needed at first, and behind the script the rest. */
#define PAGE_DATA "@@TRAMMEL_DATA@@"
#define PAGE_REST "@@TRAMMEL_REST@@"

/* Bytes of the page. 0: trammel was built without it. */
extern const char page_template[];
extern const unsigned int page_template_size;

#endif
