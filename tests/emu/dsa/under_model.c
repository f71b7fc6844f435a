#include "tests/emu/dsa/under_model.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/engine/dsa.h"
#include "tests/emu/dsa/instructions.h"

static struct ndsa_control *the_control;

struct ndsa_control *under_model(void)
{
	const char *path = getenv(NDSA_VARIABLE);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *page = MAP_FAILED;

	if (fd >= 0)
		page = mmap(NULL, sizeof(struct ndsa_control), PROT_READ | PROT_WRITE, MAP_SHARED,
			fd, 0);
	if (page == MAP_FAILED) {
		fprintf(stderr, "run this by: nearside dsa-model -- PROGRAM\n");
		exit(EXIT_FAILURE);
	}
	close(fd);
	the_control = page;
	return page;
}

static void end_trouble(struct ndsa_control *control)
{
	ndsa_set(&control->faults, 0);
	ndsa_set(&control->fault_at, NDSA_NEVER);
	ndsa_set(&control->fault_is_write, 0);
	ndsa_set(&control->lose, 0);
	ndsa_set(&control->swallow, 0);
	ndsa_set(&control->shuffle, 0);
	ndsa_set(&control->refuse, 0);
	ndsa_set(&control->status, 0);
	ndsa_set(&control->stall, 0);
}

/* A look may have begun before, so two. */
void under_model_calm(struct ndsa_control *control)
{
	uint64_t before;

	end_trouble(control);
	before = ndsa_get(&control->idle);
	while (ndsa_get(&control->idle) < before + 2)
		sched_yield();
	end_trouble(control);
}

struct nhost_engine under_model_open(const struct nhost_engine_options *options)
{
	return under_model_open_named("dsa", options);
}

struct nhost_engine under_model_open_named(
	const char *name, const struct nhost_engine_options *wanted)
{
	struct nhost_engine_options options = *wanted;
	struct nhost_engine engine;
	struct nhost_error error;

	/* cmocka has handlers of its own in each test. */
	instructions_emulate(the_control);
	options.instructions = DSA_INSTRUCTIONS_KNOWN | DSA_MOVDIR64B | DSA_ENQCMD | DSA_WAITPKG;
	if (nhost_engine_open(name, &options, &engine, &error))
		fail_msg("%s", error.text);
	return engine;
}
