# charts.gp - draws what nearside-bench --out=FOLDER wrote:  gnuplot -e "data='FOLDER'" charts.gp
# Colours that can be read on white and on black, and no background of their own.
ink = "#7f8790"
style = "font 'sans-serif,14' noenhanced name 'nearside'"
colour(role) = role == 0 ? 0x2f81d0 : role == 1 ? 0xd08a2f : 0x9aa3ad # Nearside, limit, peers

has(name) = int(system(sprintf("test -s '%s/%s.dat' && echo 1 || echo 0", data, name)))
lines(name) = int(system(sprintf("wc -l <'%s/%s.dat'", data, name)))

set style fill solid 0.9 noborder
set border 0
set tics nomirror out scale 0 textcolor rgb ink
set grid xtics linecolor rgb ink linewidth 0.5 dashtype 3
set key off
set title textcolor rgb ink noenhanced
set yrange [*:*] reverse
set logscale x 10
set format x "%g"
set lmargin screen 0.26
set rmargin screen 0.97

# A bar for each line "NAME" VALUE ROLE of the file `name`, values times `scale`, from `from` on.
bars = "stats data.'/'.name.'.dat' using ($2*scale) nooutput; \
	set terminal svg size 760,(90 + 28 * lines(name)) ".style."; \
	set output data.'/charts/'.name.'.svg'; \
	set xrange [from:STATS_max*4]; \
	plot data.'/'.name.'.dat' using \
		($2*scale):0:(from):($2*scale):($0-0.36):($0+0.36):(colour($3)):ytic(1) \
		with boxxyerror linecolor rgb variable, \
		'' using ($2*scale):0:(sprintf('%.3g', $2*scale)) with labels left offset 0.6,0 textcolor rgb ink"

if (has("round-trip-8")) {
	name = "round-trip-8"
	scale = 1e-3
	from = 0.03
	set title "Round trip of 8 bytes, microseconds, logarithmic (shorter is better)"
	eval bars
}
if (has("rate-down")) {
	name = "rate-down"
	scale = 1e-6
	from = 0.03
	set title "48-byte messages in one direction, millions a second, logarithmic (longer is better)"
	eval bars
}
if (has("spawn")) {
	name = "spawn"
	scale = 1e-3
	from = 0.03
	set title "Start to end of the smallest task, microseconds, logarithmic (shorter is better)"
	eval bars
}

# Every row against its goal: to the left of 1 it is met.
if (has("goals")) {
	larger(a, b) = a > b ? a : b
	set terminal svg size 900,(90 + 26 * lines("goals")) @style
	set output data."/charts/goals.svg"
	set title "Nearside against its goals (to the left of 1: met)"
	set lmargin screen 0.47
	stats data."/goals.dat" using 2 nooutput
	set xrange [(STATS_min < 0.2 ? STATS_min / 2 : 0.1):larger(STATS_max * 3, 10)]
	set arrow 1 from 1,graph 0 to 1,graph 1 nohead linecolor rgb ink linewidth 2 front
	plot data."/goals.dat" using 2:0:($2 < 1 ? $2 : 1):($2 < 1 ? 1 : $2):($0-0.36):($0+0.36): \
		(colour($2 > 1)):ytic(1) with boxxyerror linecolor rgb variable, \
		"" using (larger($2, 1)):0:(sprintf("%.2f", $2)) \
		with labels left offset 0.6,0 textcolor rgb ink
}
