#!/bin/sh
# backports-source.sh FOLDER: prints an apt source for bookworm-backports, copied from the entry for
# bookworm main that apt's FOLDER (/etc/apt) holds: same mirror, same key, same form (deb822 or one
# line). Prints nothing and returns 1 where there is no such entry.
set -eu

folder=$1
suite=bookworm-backports

files() {
	find "$folder" "$folder/sources.list.d" -maxdepth 1 -type f -name "*$1" 2>/dev/null | sort -u
}

# The first stanza that is enabled, carries packages and names bookworm and main; its suites
# replaced.
copy_stanza() {
	files .sources | while read -r file; do
		cat "$file"
		echo
	done | awk -v suite="$suite" 'BEGIN { RS = ""; FS = "\n" }
		/(^|\n)Types:[^\n]*deb( |\n|$)/ && /(^|\n)Suites:([^\n]* )?bookworm( |\n|$)/ &&
		/(^|\n)Components:([^\n]* )?main( |\n|$)/ && !/(^|\n)Enabled: *no/ {
			for (i = 1; i <= NF; i++) {
				sub(/^Types:.*/, "Types: deb", $i)
				sub(/^Suites:.*/, "Suites: " suite, $i)
				sub(/^Components:.*/, "Components: main", $i)
				if ($i !~ /^#/)
					print $i
			}
			exit
		}'
}

copy_line() {
	files .list | while read -r file; do
		cat "$file"
	done | awk -v suite="$suite" '/^deb / && / bookworm (.* )?main( |$)/ {
			sub(/ bookworm .*/, " " suite " main")
			print
			exit
		}'
}

entry=$(copy_stanza)
[ -n "$entry" ] || entry=$(copy_line)
[ -n "$entry" ] || exit 1
printf '%s\n' "$entry"
