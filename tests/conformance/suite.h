/*
 * suite.h - what the tests of this folder share.
 *
 * Each test is a claim about devices, and gets a fresh one of the kind that the program was started
 * for, with the kernels of kernels.c loaded. What a device cannot do is skipped, and the reason
 * printed.
 */
#ifndef NEARSIDE_TESTS_CONFORMANCE_SUITE_H
#define NEARSIDE_TESTS_CONFORMANCE_SUITE_H

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <nearside/nmem.h>
#include <nearside/npipe.h>
#include <nearside/nproc.h>

#include "tests/conformance/kernels.h"

struct suite {
	const char *device_name;
	const char *served; /* the options of a device that this program has started; NULL: none */
	struct nproc_device *device;
	struct nproc_image *image;
	struct nproc_device_info info;
};

extern struct suite suite;

/* The first two arguments of nproc_spawn(). */
#define HERE suite.device, suite.image

/* The attributes of a spawn with these ends, on any core or on one. */
#define ENDS(...) ENDS_ON(NPROC_ANY_CORE, __VA_ARGS__)
#define ENDS_ON(core, ...)                                                                    \
	(&(struct nproc_attr){core, sizeof((struct npipe *[]){__VA_ARGS__}) / sizeof(void *), \
		(struct npipe *[]){__VA_ARGS__}, 0, 0})
#define ON_CORE(core) (&(struct nproc_attr){core, 0, NULL, 0, 0})

#ifndef __has_feature /* clang's */
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER 1
#else
#define HAS_THREAD_SANITIZER 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#else
#define HAS_ADDRESS_SANITIZER 0
#endif

#define CLAIM(function) cmocka_unit_test_setup_teardown(function, suite_open, suite_close)

int suite_open(void **state);
int suite_close(void **state);

/* Another device of the kind under test, with more options ("far=1M"); NULL: none. */
void open_another(const char *options, struct nproc_device **device);

/* The name of another device of the kind, which may be opened while this one is open. */
const char *name_of_another(void);

void skip_unless(bool holds, const char *reason);
/* Another program made the device, and there is no second one like it. */
bool is_only_one(void);
void skip_if_only_one(void);
bool is_simulation(void);

/* The call succeeded; else the test fails with the library's own words. Returns its count. */
#define must(result) must_at(result, #result, __FILE__, __LINE__)
int64_t must_at(int64_t result, const char *what, const char *file, int line);

/* The last failure's detail contains this text. */
void assert_detail(const char *text);

/* A pipe, its ends by name. */
struct ends {
	struct npipe *read, *write;
};
struct ends make_pipe(void);

/* Waits for the process, which must exit, and closes it: its exit code. */
int64_t exit_code_of(struct nproc *process);
/* Likewise, of one that ends in another way. */
struct nproc_status ending_of(struct nproc *process);
void assert_fault(struct nproc *process, const char *text);

/*
 * What the host has stored is published; what it loads is refreshed. Only where memory is not
 * coherent is there anything to do.
 */
void publish(const void *memory, size_t nbytes);
void refresh(const void *memory, size_t nbytes);
/* A word that a process may change meanwhile. */
uint64_t fresh_word(const uint64_t *word);
/* Likewise with the device's part of it, for kernels that do not do it themselves. */
void hand_over(const void *memory, size_t nbytes);
void take_back(void *memory, size_t nbytes);

/* Byte i of the stream that kernels source and sink use. */
uint8_t stream_byte(uint64_t i);

/* Groups; each returns the number of failures. */
int run_arguments(void);
int run_births(void);
int run_blocked(void);
int run_calls(void);
int run_calls_ended(void);
int run_capacity(void);
int run_coherence(void);
int run_delivered(void);
int run_births_abroad(void);
int run_copies(void);
int run_endings(void);
int run_ends(void);
int run_ends_abroad(void);
int run_faults(void);
int run_forks(void);
int run_images(void);
int run_kills(void);
int run_life(void);
int run_logs(void);
int run_loops(void);
int run_many(void);
int run_memory(void);
int run_mishaps(void);
int run_packets(void);
int run_parts(void);
int run_pipes(void);
int run_polls(void);
int run_random(void);
int run_readers(void);
int run_relays(void);
int run_sharing(void);
int run_signals(void);
int run_threads(void);
int run_traffic(void);
int run_turns(void);
int run_waiting(void);

#endif
