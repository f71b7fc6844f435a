# Takes the tested blocks out of a Markdown document, into the folder `into`:
#   <!-- file: NAME -->   before a fenced block: its text is the file NAME
#   <!-- run -->          before a fenced block: `$ command` lines, each followed by what it prints
# Commands land in the file `commands`, numbered outputs in `expected.N`.
/^<!-- file: .* -->$/ { target = into "/" $3; next }
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
