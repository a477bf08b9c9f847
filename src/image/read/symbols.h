/* The symbols of functions, of all tables. */
#ifndef TRAMMEL_IMAGE_READ_SYMBOLS_H
#define TRAMMEL_IMAGE_READ_SYMBOLS_H

#include "image/read/reader.h"

/* Finds .symtab and .dynsym. */
void image_find_symbol_tables(struct reader *reader);

/* Reads all symbol tables into reader.symbols and image.targets. */
void image_read_symbols(struct reader *reader);

#endif
