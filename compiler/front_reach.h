/*
 * front_reach.h - the kernels of a translation unit and everything they reach: the call graph.
 *
 * A function reaches another when its body, or the initialiser of a global that it uses, names it:
 * called or with its address taken makes no difference here. functions[] begins with the kernels in
 * the order of the source; the rest follows in the order in which it was reached.
 */
#ifndef NEARSIDE_COMPILER_FRONT_REACH_H
#define NEARSIDE_COMPILER_FRONT_REACH_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>

struct edge {
	size_t to;   /* index in functions[] */
	CXCursor at; /* where it is named */
	bool is_call;
};

struct function {
	CXCursor cursor; /* the definition, else a declaration */
	char *name;
	bool is_kernel;
	bool is_other_kernel; /* a kernel of another file, declared here */
	bool has_body;
	bool is_library;     /* declared in the folder of nearside/kernel.h */
	size_t first_caller; /* through which it was reached first; itself for a kernel */
	struct edge *edges;
	size_t edge_count;
};

/* A variable that outlives a call, as far as kernels name it. */
struct global {
	CXCursor cursor; /* the definition, else a declaration */
	CXCursor at;     /* where it is named first */
	size_t user;     /* index of the function that does */
};

struct reach {
	struct function *functions;
	size_t function_count;
	struct global *globals;
	size_t global_count;
};

void front_reach(CXTranslationUnit tu, struct reach *reach);

/*
 * Adds to the reach of a translation unit what `device`, the reach of the same source with parts
 * blanked, names but has no body or value of, though it is defined in `tu`. False when there is
 * nothing to add.
 */
bool front_reach_extend(struct reach *reach, CXTranslationUnit tu, const struct reach *device);

/* Index of a function in functions[], or function_count. */
size_t front_reach_find(const struct reach *reach, CXCursor function);

/* "kernel -> helper -> function": how it was reached first. */
char *front_reach_path(const struct reach *reach, size_t index);

/* Is this a variable with static storage that is not declared inside a function? */
bool front_is_global(CXCursor variable);

#endif
