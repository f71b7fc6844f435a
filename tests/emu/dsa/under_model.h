/*
 * under_model.h - programs that `nearside dsa-model` runs: its control page, and the engine.
 */
#ifndef NEARSIDE_TESTS_EMU_DSA_UNDER_MODEL_H
#define NEARSIDE_TESTS_EMU_DSA_UNDER_MODEL_H

#include "emu/dsa/control.h"
#include "host/device.h"
#include "host/engine.h"

/* The page of the model. */
struct ndsa_control *under_model(void);

/* No trouble from here on, and nothing left of before in the model. */
void under_model_calm(struct ndsa_control *control);

/*
 * Fails the test with the reason. From here on the instructions that this processor lacks are
 * emulated.
 */
struct nhost_engine under_model_open(const struct nhost_engine_options *options);
struct nhost_engine under_model_open_named(
	const char *name, const struct nhost_engine_options *options);

#endif
