/* Paths of sources, made clean. */
#ifndef TRAMMEL_IMAGE_CLEAN_PATH_H
#define TRAMMEL_IMAGE_CLEAN_PATH_H

/* Returns `path` without "." and ".." in it, put behind `folder` if it is relative (NULL:
 * no folder is known); free() it. */
char *image_clean_path(const char *folder, const char *path);

#endif
