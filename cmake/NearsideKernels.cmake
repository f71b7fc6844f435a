# nearside_add_kernels(TARGET SOURCES... [OPTIONS nprocc options...])
#
# Compiles the kernels in SOURCES with nprocc and puts their image into TARGET, a program or
# library, where nproc_image_embedded() finds it. TARGET is linked with Nearside and sees its
# headers. A source that holds kernels and host code may be a source of TARGET, too. Include folders
# and definitions of TARGET apply to its kernels.
#
#     find_package(Nearside CONFIG REQUIRED)
#     add_executable(app app.c)
#     nearside_add_kernels(app app.c)
function(nearside_add_kernels target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
	set(sources)
	# in full: a relative name in a DEPFILE begins in the build folder
	foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
		get_filename_component(source ${source} ABSOLUTE)
		list(APPEND sources ${source})
	endforeach()
	set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels.o)
	set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
	set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
	add_custom_command(OUTPUT ${object}
		COMMAND Nearside::nprocc ${arg_OPTIONS} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
			"$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" -MF ${object}.d
			-c ${sources} -o ${object}
		DEPENDS $<TARGET_FILE:Nearside::nprocc> ${sources}
		DEPFILE ${object}.d
		WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
		COMMENT "Compiling kernels of ${target}"
		COMMAND_EXPAND_LISTS VERBATIM)
	set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
	target_sources(${target} PRIVATE ${object})
	target_link_libraries(${target} PRIVATE Nearside::nearside)
endfunction()
