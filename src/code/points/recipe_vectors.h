/*
 * Vector registers of the program, in recipes: see RECIPE_VECTOR in
 * code/points/recipe_values.h.
 */
#ifndef TRAMMEL_CODE_POINTS_RECIPE_VECTORS_H
#define TRAMMEL_CODE_POINTS_RECIPE_VECTORS_H

struct recipe;

enum { RECIPE_VECTOR_SIZE = 64, RECIPE_COPIES_MAX = 6 };

/* Copies vector register `number` to the thread's bank, and loads the address of the copy
 * into `to`. It has RECIPE_VECTOR_SIZE bytes; what the processor does not have is 0. A
 * recipe can have RECIPE_COPIES_MAX copies. */
void recipe_vector_copy(struct recipe *recipe, int to, unsigned number);

/* Loads its low 64 bits. */
void recipe_vector_low(struct recipe *recipe, int to, unsigned number);

#endif
