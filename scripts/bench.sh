#!/bin/sh
# bench.sh [--full] [--docs] [--patience=S] [ROW...]: installs what is missing (the peers, too),
# builds, measures, and prints the table: Nearside beside its physical limits and beside what one
# would take instead. ROW as for nearside-bench.
#
#   --full        the rows that take long, too, and more repeats
#   --docs        measures all rows, puts the tables into docs/performance.md and the charts into
#                 docs/charts/; for a quiet machine
#   --patience=S  as for nearside-bench: more where others use the machine
#
# Under four minutes on two processors that have nothing else to do. In build/bench/ lie
# results.json (everything, with a description of the machine), table.md, and charts/ (SVG).
set -eu
cd "$(dirname "$0")/.."

full=
docs=
patience=
while [ $# -gt 0 ]; do
	case $1 in
	--full) full="--full --repeats=15" ;;
	--docs) docs=--full ;;
	--patience=*) patience=$1 ;;
	-*)
		echo "usage: scripts/bench.sh [--full] [--docs] [--patience=S] [ROW...]" >&2
		exit 2
		;;
	*) break ;;
	esac
	shift
done
if [ -n "$docs" ] && [ $# -gt 0 ]; then
	echo "bench: --docs takes all rows" >&2
	exit 2
fi

results=build/bench

# The tables go between the marks of the document.
fill_document() {
	awk -v table="$results/table.md" '
		/^<!-- table:/ {
			print $0 "\n"
			while ((getline line < table) > 0)
				print line
			print ""
			inside = 1
		}
		/^<!-- end of table/ { inside = 0 }
		!inside' docs/performance.md >"$results/performance.md"
	cp "$results/performance.md" docs/performance.md
	mkdir -p docs/charts
	cp "$results"/charts/*.svg docs/charts/
	echo "bench: docs/performance.md and docs/charts/ are of this run"
}

scripts/install.sh bench
echo "bench: building"
mkdir -p build
scripts/build.sh release nearside-bench >build/bench.log 2>&1 || {
	tail -n 50 build/bench.log
	exit 1
}
rm -rf "$results"
mkdir -p "$results/charts"
# shellcheck disable=SC2086 # a list of options
build/bin/nearside-bench --out="$results" $docs $full $patience "$@"
echo
if command -v gnuplot >/dev/null; then
	gnuplot -e "data='$results'" bench/charts.gp
	echo "bench: charts are in $results/charts/, all figures in $results/results.json"
else
	echo "bench: no charts: gnuplot is not installed; all figures are in $results/results.json"
	docs=
fi
[ -z "$docs" ] || fill_document
