/* status_text.c - how a process has ended, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <nearside/nproc.h>

static const char *error_text(int error)
{
	const char *text = strerrordesc_np(-error);

	return text ? text : "unknown error";
}

/* "keys.c:14:9: in count: read outside ... (address 0x...)", as much of it as is known. */
static void print_fault(const struct nproc_status *status, char *buffer, size_t nbytes)
{
	char place[160] = "", column[16] = "", address[40] = "";

	if (status->column)
		snprintf(column, sizeof(column), ":%u", status->column);
	if (status->line)
		snprintf(place, sizeof(place), "%s:%u%s: in %s: ", status->file, status->line,
			column, status->function);
	if (status->address)
		snprintf(address, sizeof(address), " (address 0x%" PRIx64 ")", status->address);
	snprintf(buffer, nbytes, "%s%s%s%s%s", place, status->fault, *status->text ? ": " : "",
		status->text, address);
}

const char *nproc_status_text(const struct nproc_status *status, char *buffer, size_t nbytes)
{
	switch (status->state) {
	case NPROC_RUNNING:
		snprintf(buffer, nbytes, "is running");
		break;
	case NPROC_EXITED:
		snprintf(buffer, nbytes, "exited with %" PRId64, status->exit_code);
		break;
	case NPROC_FAULTED:
		print_fault(status, buffer, nbytes);
		break;
	case NPROC_KILLED:
		if (status->text && *status->text)
			snprintf(buffer, nbytes, "was killed: %s", status->text);
		else
			snprintf(buffer, nbytes, "was killed");
		break;
	case NPROC_REFUSED:
		snprintf(
			buffer, nbytes, "was refused by the device: %s", error_text(status->error));
		break;
	case NPROC_LOST:
		snprintf(buffer, nbytes, "was lost with its device: %s", error_text(status->error));
		break;
	default:
		snprintf(buffer, nbytes, "is in an unknown state (%d)", (int)status->state);
	}
	return buffer;
}
