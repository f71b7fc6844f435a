# Compiler and linker flags for everything in the tree.

# Assertions about our own bugs stay on in every build, so no -DNDEBUG (scripts/check.sh tries one
# with it).
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")

add_compile_options(
	-Wall
	-Wextra
	-Wpedantic
	-Wshadow
	-Wundef
	-Wvla
	-Wformat=2
	-Wwrite-strings
	-Wpointer-arith
	-Wstrict-prototypes
	-Wmissing-prototypes
	-Wold-style-definition
	-Wimplicit-fallthrough)
add_compile_definitions(_GNU_SOURCE=)

if(NEARSIDE_WERROR)
	add_compile_options(-Werror)
endif()

if(NOT NEARSIDE_SANITIZE STREQUAL "none" AND NOT NEARSIDE_SANITIZE STREQUAL "")
	list(JOIN NEARSIDE_SANITIZE "," sanitizers)
	add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	add_link_options(-fsanitize=${sanitizers})
	if("address" IN_LIST NEARSIDE_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
		add_compile_options(-fsanitize=fuzzer-no-link) # so that fuzz targets see what they reach
	endif()
endif()

# The library is optimised across files (runtime/CMakeLists.txt) where gcc builds it for use. Tests
# of single folders link the same objects without that, to be built in reasonable time.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NEARSIDE_SANITIZE STREQUAL "none")
	set(NEARSIDE_LTO ON)
	# gcc clears and copies records with "rep" instructions, which take longer to begin than a
	# record of ours takes to be cleared by plain stores.
	set(NEARSIDE_LTO_FLAGS -O3 -flto=auto)
	if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
		list(APPEND NEARSIDE_LTO_FLAGS
			-mmemset-strategy=vector_loop:256:noalign,libcall:-1:noalign
			-mmemcpy-strategy=vector_loop:256:noalign,libcall:-1:noalign)
	endif()
	add_link_options(-fno-use-linker-plugin)
endif()
