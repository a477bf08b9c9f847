/* Macros of the compatible interface; caliper/cali.h includes them. */
#ifndef CALI_CALI_MACROS_H
#define CALI_CALI_MACROS_H

#include "cali.h"

#define CALI_JOIN2_(a, b) a##b
#define CALI_JOIN_(a, b)  CALI_JOIN2_(a, b)

/* A region with the name of the function; each way out needs its end. */
#define CALI_MARK_FUNCTION_BEGIN cali_begin_region(__func__)
#define CALI_MARK_FUNCTION_END   cali_end_region(__func__)

/* A region. `name`: a text. */
#define CALI_MARK_BEGIN(name) cali_begin_region(name)
#define CALI_MARK_END(name)   cali_end_region(name)

/* A phase: a coarse region, of level 4. */
#define CALI_MARK_PHASE_BEGIN(name) cali_begin_phase(name)
#define CALI_MARK_PHASE_END(name)   cali_end_phase(name)

/* A region that communicates. */
#define CALI_MARK_COMM_REGION_BEGIN(name) cali_begin_comm_region(name)
#define CALI_MARK_COMM_REGION_END(name)   cali_end_comm_region(name)

/* A region around a statement, which must not leave it. */
#define CALI_WRAP_STATEMENT(name, statement)                                             \
	cali_begin_region(name);                                                         \
	statement;                                                                       \
	cali_end_region(name)

/* A loop: `id` is a word that the other macros name it by, `name` its name. */
#define CALI_MARK_LOOP_BEGIN(id, name)                                                   \
	if (cali_loop_attr_id == CALI_INV_ID)                                            \
		cali_init();                                                             \
	cali_begin_string(cali_loop_attr_id, (name));                                    \
	cali_id_t CALI_JOIN_(cali_iteration_, id) =                                      \
		cali_make_loop_iteration_attribute(name)
#define CALI_MARK_LOOP_END(id)                                                           \
	do {                                                                             \
		(void)CALI_JOIN_(cali_iteration_, id);                                   \
		cali_end(cali_loop_attr_id);                                             \
	} while (0)

/* An iteration: at the head and the foot of the loop's body. */
#define CALI_MARK_ITERATION_BEGIN(id, number)                                            \
	cali_begin_int(CALI_JOIN_(cali_iteration_, id), ((int)(number)))
#define CALI_MARK_ITERATION_END(id) cali_end(CALI_JOIN_(cali_iteration_, id))

#ifdef __cplusplus

/* C++: until the scope ends. */
#define CALI_CXX_MARK_FUNCTION                                                           \
	cali::Function CALI_JOIN_(cali_function_, __LINE__)(__func__)
#define CALI_CXX_MARK_SCOPE(name)                                                        \
	cali::ScopeAnnotation CALI_JOIN_(cali_scope_, __LINE__)(name)
#define CALI_CXX_MARK_LOOP_BEGIN(id, name) cali::Loop CALI_JOIN_(cali_loop_, id)(name)
#define CALI_CXX_MARK_LOOP_END(id)         CALI_JOIN_(cali_loop_, id).end()
#define CALI_CXX_MARK_LOOP_ITERATION(id, number)                                         \
	cali::Loop::Iteration CALI_JOIN_(cali_iteration_, id)(                           \
		CALI_JOIN_(cali_loop_, id).iteration(static_cast<int>(number)))

#endif

#endif
