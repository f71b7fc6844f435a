/* methods.h - what can be measured. A file each; what it is, says that file. */
#ifndef NEARSIDE_BENCH_METHODS_H
#define NEARSIDE_BENCH_METHODS_H

#include "bench/bench.h"

/* ---- Nearside ---- */

extern const struct bench_method bench_near_round_trip;   /* row_round_trip.c */
extern const struct bench_method bench_daemon_round_trip; /* row_daemon.c */
extern const struct bench_method bench_daemon_killed;
extern const struct bench_method bench_near_call;                /* row_call.c */
extern const struct bench_method bench_near_down, bench_near_up; /* row_rate.c */
extern const struct bench_method bench_near_between_cores;
extern const struct bench_method bench_near_on_one_core;
extern const struct bench_method bench_near_spawn, bench_near_spawn_many; /* row_spawn.c */
extern const struct bench_method bench_near_switch;                       /* row_switch.c */
extern const struct bench_method bench_near_scan;                         /* row_far.c */

extern const struct bench_method bench_near_large; /* row_throughput.c */
extern const struct bench_method bench_near_device_bytes,
	bench_near_program_bytes; /* row_crowd.c */
extern const struct bench_method bench_near_million;
extern const struct bench_method bench_near_among_many;
extern const struct bench_method bench_near_asleep;                             /* row_asleep.c */
extern const struct bench_method bench_near_idle;                               /* row_idle.c */
extern const struct bench_method bench_near_four_cores, bench_near_four_on_one; /* row_cores.c */
extern const struct bench_method bench_near_compile;                            /* row_compile.c */

extern const struct bench_method bench_lookup_line, bench_search_line; /* row_ports.c */
extern const struct bench_method bench_lookup_ring, bench_search_ring;
extern const struct bench_method bench_lookup_mailbox, bench_search_mailbox;
extern const struct bench_method bench_lookup_event, bench_search_event;
extern const struct bench_method bench_lookup_call;

extern const struct bench_method bench_engine_cpu, bench_engine_auto; /* row_engine.c */
extern const struct bench_method bench_engine_thread, bench_engine_dsa, bench_engine_model;
extern const struct bench_method bench_engine_published;

/* ---- limits ---- */

extern const struct bench_method bench_ring_round_trip, bench_ring_one_way; /* limit_ring.c */
extern const struct bench_method bench_ring_64, bench_ring_one_thread;
extern const struct bench_method bench_engine_limit; /* row_engine.c */
extern const struct bench_method bench_bare_line;    /* limit_line.c */
extern const struct bench_method bench_call;         /* row_switch.c */
extern const struct bench_method bench_plain_scan;   /* row_far.c */

extern const struct bench_method bench_ring_large;                           /* row_throughput.c */
extern const struct bench_method bench_near_alone;                           /* row_crowd.c */
extern const struct bench_method bench_futex_asleep;                         /* row_asleep.c */
extern const struct bench_method bench_futex_idle;                           /* row_idle.c */
extern const struct bench_method bench_near_one_core, bench_near_one_on_one; /* row_cores.c */
extern const struct bench_method bench_clang;                                /* row_compile.c */

/* ---- peers ---- */

extern const struct bench_method bench_ck_round_trip, bench_ck_one_way;     /* peer_ck.c */
extern const struct bench_method bench_pipe_round_trip, bench_pipe_one_way; /* peer_files.c */
extern const struct bench_method bench_unix_round_trip, bench_unix_one_way;
extern const struct bench_method bench_futex_round_trip;                  /* peer_futex.c */
extern const struct bench_method bench_zmq_round_trip, bench_zmq_one_way; /* peer_zmq.c */
extern const struct bench_method bench_nng_round_trip, bench_nng_one_way; /* peer_nng.c */
extern const struct bench_method bench_swapcontext;                       /* peer_swapcontext.c */

extern const struct bench_method bench_pipe_large, bench_unix_large;          /* peer_stream.c */
extern const struct bench_method bench_thread_spawn, bench_thread_spawn_many; /* peer_threads.c */
extern const struct bench_method bench_thread_bytes;
extern const struct bench_method bench_openmp, bench_pocl; /* peer_programs.c */
extern const struct bench_method bench_ucx_round_trip, bench_ucx_one_way;
extern const struct bench_method bench_coroutine; /* peer_coroutine.c */

/* What is published of a copy by DSA, alone. */
double bench_dsa_published_ns(uint64_t nbytes);

#endif
