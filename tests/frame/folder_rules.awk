# awk -f folder_rules.awk RULES FILES...: prints each #include that the table does not allow; exit
# code 1 then. File names are relative to the root of the tree, where this runs.

function rule_of(path,    folder) {
	folder = path
	while (sub(/\/[^\/]*$/, "", folder))
		if (folder in allowed)
			return folder
	return ""
}

function exists(path,    line, found) {
	found = (getline line < path) >= 0
	close(path)
	return found
}

function directory(path) {
	return sub(/\/[^\/]*$/, "", path) ? path : "."
}

function without_dots(path) {
	while (sub(/(^|\/)\.\//, "/", path) || sub(/[^\/]+\/\.\.\//, "", path))
		;
	return path
}

# What a quoted header belongs to: the folder beside the file first, as compilers do, then the root.
function resolve(file, header,    beside) {
	beside = without_dots(directory(file) "/" header)
	return exists(beside) ? beside : header
}

function has(folder, word) {
	return index(" " allowed[folder] " ", " " word " ") > 0
}

# The parents of an allowed folder are not allowed, its children are unless they have a rule of
# their own.
function may_include(folder, path,    owner) {
	owner = rule_of(path)
	return owner == folder || has(folder, owner)
}

function kind(header) {
	if (header ~ /^nearside\//)
		return "public"
	if (header ~ /^(float|iso646|limits|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdnoreturn)\.h$/)
		return "free"
	return "system"
}

function glob_fits(file, glob,    pattern) {
	pattern = glob
	gsub(/\./, "[.]", pattern)
	gsub(/\*/, ".*", pattern)
	return file ~ ("^" pattern "$")
}

function guarded(file, header,    prefix, n, globs, i) {
	for (prefix in doors) {
		if (index(header, prefix) != 1)
			continue
		n = split(doors[prefix], globs, " ")
		for (i = 1; i <= n; i++)
			if (glob_fits(file, globs[i]))
				return 0
		return 1
	}
	return 0
}

function complain(what) {
	printf "%s:%d: %s may not include %s\n", FILENAME, FNR, what, header
	bad = 1
}

function judge(folder) {
	if (guarded(FILENAME, header))
		complain("only " doors[substr(header, 1, index(header, "/"))] " see it; this file")
	else if (quoted && !may_include(folder, resolve(FILENAME, header)))
		complain("folder " folder)
	else if (!quoted && !has(folder, kind(header)))
		complain("folder " folder)
}

NR == FNR && /^[a-z]+(\/[a-z]+)*:/ {
	folder = $1
	sub(/:$/, "", folder)
	sub(/^[^ ]* */, "")
	allowed[folder] = $0
}
NR == FNR && $2 == "only" {
	prefix = $1
	sub(/^[^ ]* only */, "")
	doors[prefix] = $0
}

NR != FNR && /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
	header = $0
	sub(/^[^<"]*/, "", header)
	quoted = header ~ /^"/
	header = substr(header, 2)
	sub(/[>"].*/, "", header)
	folder = rule_of(FILENAME)
	if (folder == "") {
		complain("a file outside every folder of the table")
	} else {
		judge(folder)
	}
	seen++
}

END {
	if (!seen) {
		print "no #include was seen in any file"
		exit 1
	}
	exit bad
}
