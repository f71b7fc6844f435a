/* dsa_library.h - libaccel-config, loaded when it is needed: a program runs without it, too. */
#ifndef NEARSIDE_HOST_ENGINE_DSA_LIBRARY_H
#define NEARSIDE_HOST_ENGINE_DSA_LIBRARY_H

#include <accel-config/libaccel_config.h>

/* Every function of it that is used. */
#define DSA_LIBRARY(each)                                                                          \
	each(accfg_new) each(accfg_unref) each(accfg_set_log_fn) each(                             \
		accfg_device_get_first) each(accfg_device_get_next) each(accfg_device_get_devname) \
		each(accfg_device_get_type) each(accfg_device_get_state) each(                     \
			accfg_device_get_numa_node) each(accfg_device_get_gen_cap)                 \
			each(accfg_device_get_version) each(accfg_wq_get_first) each(              \
				accfg_wq_get_next) each(accfg_wq_get_devname)                      \
				each(accfg_wq_get_mode) each(accfg_wq_get_state) each(             \
					accfg_wq_get_type) each(accfg_wq_get_driver_name)          \
					each(accfg_wq_get_size) each(accfg_wq_get_max_batch_size)  \
						each(accfg_wq_get_max_transfer_size)               \
							each(accfg_wq_get_user_dev_path)

struct dsa_library {
	void *handle;
#define DSA_MEMBER(name) __typeof__(name) *name;
	DSA_LIBRARY(DSA_MEMBER)
#undef DSA_MEMBER
};

/*
 * NULL, or what is missing: the library, or a function of it. Stays loaded: what it leaves behind
 * would have no name for memory checkers otherwise.
 */
const char *dsa_library_load(struct dsa_library *library);

/* The name of its file, which has its version. */
void dsa_library_name(const struct dsa_library *library, char *name, size_t nbytes);

#endif
