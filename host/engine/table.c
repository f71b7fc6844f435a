/* table.c - the engines that there are, and opening one by its name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/engine/parts.h"

const struct nhost_engine_ops *const nhost_engines[] = {
	&cpu_engine,
	&auto_engine,
	&thread_engine,
	&dsa_engine,
	NULL,
};

static void list_names(char *text, size_t nbytes)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; nhost_engines[i] && length < nbytes; i++)
		length += (size_t)snprintf(text + length, nbytes - length, "%s%s", i ? ", " : "",
			nhost_engines[i]->name);
}

/* NULL: none has that name. */
static const struct nhost_engine_ops *find(const char *name, struct nhost_error *error)
{
	char names[128];
	size_t i = 0;

	while (name && nhost_engines[i] && strcmp(nhost_engines[i]->name, name) != 0)
		i++;
	if (!nhost_engines[i]) {
		list_names(names, sizeof names);
		nhost_fail(
			error, EINVAL, "no copy engine is called '%s'; there are %s", name, names);
	}
	return nhost_engines[i];
}

int nhost_engine_check(const char *name, struct nhost_error *error)
{
	return find(name, error) ? 0 : -EINVAL;
}

int nhost_engine_open(const char *name, const struct nhost_engine_options *options,
	struct nhost_engine *engine, struct nhost_error *error)
{
	static const struct nhost_engine_options defaults;
	const struct nhost_engine_ops *ops = find(name, error);
	int result;

	memset(engine, 0, sizeof *engine);
	if (!ops)
		return -EINVAL;
	result = ops->open(engine, options ? options : &defaults, error);
	if (!result)
		engine->ops = ops;
	return result;
}

void nhost_engine_close(struct nhost_engine *engine)
{
	if (engine && engine->ops)
		engine->ops->close(engine);
	if (engine)
		memset(engine, 0, sizeof *engine);
}

int nhost_engine_run(struct nhost_engine *engine, struct nhost_op *ops, size_t count)
{
	int result = engine->ops->submit(engine, ops, count);

	return result ? result : engine->ops->wait(engine, ops, count, -1);
}
