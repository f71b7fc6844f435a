# Takes the tested blocks out of a Markdown document, into the folder `into`:
#   <!-- file: NAME, as PATH -->   before a fenced block: its text is the file NAME, and the tree's
#                                  file PATH
#   <!-- run -->                   before a fenced block: `$ command` lines, each followed by what
#                                  it prints
# Pairs of names land in the file `copies`, commands in `commands`, numbered outputs in
# `expected.N`.
/^<!-- file: .*, as .* -->$/ {
	name = $3
	sub(/,$/, "", name)
	target = into "/" name
	print name, $5 > (into "/copies")
	next
}
/^<!-- run -->$/ { running = 1; next }
/^```/ && inside { inside = running = 0; target = ""; next }
/^```/ && (target || running) { inside = 1; next }
!inside { next }
target { print > target; next }
/^\$ / {
	expected = into "/expected." ++count
	printf "" > expected
	print substr($0, 3) > (into "/commands")
	next
}
{ print > expected }
