# How the folders of this tree declare libraries, tests and fuzz targets.

# nearside_library(NAME SOURCES...): one folder's code as a static library. runtime/ gathers their
# objects into libnearside.a and libnearside.so, so a folder never installs or exports anything
# itself.
function(nearside_library name)
	if(ARGN)
		add_library(${name} STATIC ${ARGN})
		if(NEARSIDE_LTO)
			target_compile_options(${name} PRIVATE ${NEARSIDE_LTO_FLAGS} -ffat-lto-objects)
		endif()
	else()
		add_library(${name} INTERFACE)
	endif()
endfunction()

# The library that a test links when it does not say: its own folder's, else the whole of Nearside.
function(nearside_default_library variable)
	get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
	if(TARGET nearside_${folder})
		set(${variable} nearside_${folder} PARENT_SCOPE)
	else()
		set(${variable} nearside PARENT_SCOPE)
	endif()
endfunction()

# nearside_test(NAME SOURCES... [LINK LIBRARIES...] [LABELS LABELS...] [TIMEOUT SECONDS])
# A cmocka program, bin/tests/NAME, and a test of that name, labelled with its folder's name.
function(nearside_test name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LINK;LABELS")
	if(NOT arg_LINK)
		nearside_default_library(arg_LINK)
	endif()
	if(NOT arg_TIMEOUT)
		set(arg_TIMEOUT 60)
	endif()
	get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
	add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
	target_link_libraries(${name} PRIVATE ${arg_LINK} cmocka Threads::Threads)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/tests)
	add_test(NAME ${name} COMMAND ${name})
	set_tests_properties(${name} PROPERTIES LABELS "${folder};${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# nearside_soak(NAME SOURCES... [LINK LIBRARIES...]): a program, bin/soak/NAME, that takes seconds
# as its argument, tries something anew with new seeds until they have passed, and prints the seed
# where it fails (scripts/soak.sh).
function(nearside_soak name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
	if(NOT arg_LINK)
		nearside_default_library(arg_LINK)
	endif()
	add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
	target_link_libraries(${name} PRIVATE ${arg_LINK} Threads::Threads)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/soak)
endfunction()

# nearside_fuzz(NAME SOURCES... [LINK LIBRARIES...] [CORPUS FOLDER])
# A libFuzzer program, bin/fuzz/NAME, and a test that runs it for NEARSIDE_FUZZ_SECONDS, labelled
# "fuzz". Only where the compiler is clang and addresses are sanitized; elsewhere nothing is built.
# The seeds in CORPUS are read, never written: what the fuzzer finds lands in the build directory.
set(NEARSIDE_FUZZ_SECONDS 20 CACHE STRING "How long ctest runs each fuzz target")
function(nearside_fuzz name)
	if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang" OR NOT "address" IN_LIST NEARSIDE_SANITIZE)
		return()
	endif()
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS" "LINK")
	if(NOT arg_LINK)
		nearside_default_library(arg_LINK)
	endif()
	add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
	target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
	target_link_options(${name} PRIVATE -fsanitize=fuzzer)
	target_link_libraries(${name} PRIVATE ${arg_LINK} Threads::Threads)
	set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/fuzz)
	set(found ${PROJECT_BINARY_DIR}/fuzz/${name})
	file(MAKE_DIRECTORY ${found})
	math(EXPR timeout "${NEARSIDE_FUZZ_SECONDS} * 2 + 60")
	add_test(NAME ${name} COMMAND ${name} -max_total_time=${NEARSIDE_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=2048
		-print_final_stats=1 -artifact_prefix=${found}/ ${found} ${arg_CORPUS})
	set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT ${timeout})
endfunction()
