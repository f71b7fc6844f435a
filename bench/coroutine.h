/* coroutine.h - C++20 coroutines, for C. */
#ifndef NEARSIDE_BENCH_COROUTINE_H
#define NEARSIDE_BENCH_COROUTINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns how many resumes there were. */
uint64_t bench_resume_in_turns(uint64_t resumes);

#ifdef __cplusplus
}
#endif

#endif
