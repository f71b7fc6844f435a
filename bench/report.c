#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

static json_t *rows; /* NULL: a table for people */

void bench_report_begin(bool json)
{
	if (json) {
		rows = json_array();
		return;
	}
	printf("Measured on this machine, in-process device, medians; ratios count, not nanoseconds.\n\n");
	printf("%-38s %9s   %-32s   %s\n", "", "ours", "limit", "instead");
}

static void add(json_t *object, const char *key, double value)
{
	if (value > 0)
		json_object_set_new(object, key, json_real(value));
}

static void print_json(const struct bench_row *row, double ours, double limit, double peer)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(row->name));
	json_object_set_new(object, "device", json_string("in-process"));
	add(object, "ns", ours);
	add(object, "limit_ns", limit);
	if (row->limit_name)
		json_object_set_new(object, "limit", json_string(row->limit_name));
	add(object, "peer_ns", peer);
	if (row->peer_name)
		json_object_set_new(object, "peer", json_string(row->peer_name));
	add(object, "times_limit", limit > 0 ? ours / limit : 0);
	add(object, "bounce_before_ns", row->bounce_before);
	add(object, "bounce_after_ns", row->bounce_after);
	json_array_append_new(rows, object);
}

static void print_text(const struct bench_row *row, double ours, double limit, double peer)
{
	char text[64] = "";

	printf("%-38s %6.*f ns", row->name, ours < 10 ? 3 : 0, ours);
	if (limit > 0)
		snprintf(text, sizeof(text), "%5.2f x %s (%.*f)", ours / limit, row->limit_name,
			limit < 10 ? 3 : 0, limit);
	printf("   %-32s", text);
	if (peer > 0)
		printf("   %.*f %s", peer < 10 ? 1 : 0, peer, row->peer_name);
	if (row->bounce_before > 0 && (row->bounce_before > 1.5 * row->bounce_after ||
					      row->bounce_after > 1.5 * row->bounce_before))
		printf("   (processors moved: bounce %.0f, then %.0f ns; run again)",
			row->bounce_before, row->bounce_after);
	printf("\n");
}

void bench_report(const struct bench_row *row)
{
	struct bench_row copy = *row;
	double ours = bench_median(copy.ours, copy.repeats);
	double limit = bench_median(copy.limit, copy.repeats);
	double peer = bench_median(copy.peer, copy.repeats);

	if (rows)
		print_json(row, ours, limit, peer);
	else
		print_text(row, ours, limit, peer);
	fflush(stdout);
}

void bench_report_end(void)
{
	if (!rows)
		return;
	json_dumpf(rows, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	printf("\n");
	json_decref(rows);
}
