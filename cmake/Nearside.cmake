# nearside_add_kernels(TARGET SOURCES... [OPTIONS nprocc options...])
#
# Compiles the kernels in SOURCES with nprocc and puts their image into TARGET, a program or library, where
# nproc_image_embedded() finds it. TARGET is linked with Nearside and sees its headers. A source that holds kernels
# and host code may be a source of TARGET, too. Include folders and definitions of TARGET apply to its kernels.
#
#     include(Nearside)
#     add_executable(app app.c)
#     nearside_add_kernels(app app.c)

# In Nearside's own build nprocc and nearside are targets; elsewhere they lie where Nearside was installed.
get_filename_component(NEARSIDE_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)

function(nearside_find)
	if(TARGET nprocc AND TARGET nearside)
		return()
	endif()
	find_program(NEARSIDE_COMPILER nprocc HINTS ${NEARSIDE_PREFIX}/bin REQUIRED)
	find_library(NEARSIDE_LIBRARY libnearside.a HINTS ${NEARSIDE_PREFIX}/lib REQUIRED)
	find_path(NEARSIDE_HEADERS nearside/nproc.h HINTS ${NEARSIDE_PREFIX}/include REQUIRED)
	find_package(Threads REQUIRED)
	if(NOT TARGET nprocc)
		add_executable(nprocc IMPORTED GLOBAL)
		set_target_properties(nprocc PROPERTIES IMPORTED_LOCATION ${NEARSIDE_COMPILER})
	endif()
	if(NOT TARGET nearside)
		add_library(nearside STATIC IMPORTED GLOBAL)
		set_target_properties(nearside PROPERTIES
			IMPORTED_LOCATION ${NEARSIDE_LIBRARY}
			INTERFACE_INCLUDE_DIRECTORIES ${NEARSIDE_HEADERS}
			INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};z")
	endif()
endfunction()

function(nearside_add_kernels target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
	nearside_find()
	set(sources)
	foreach(source IN LISTS arg_UNPARSED_ARGUMENTS) # in full: a relative name in a DEPFILE begins in the build folder
		get_filename_component(source ${source} ABSOLUTE)
		list(APPEND sources ${source})
	endforeach()
	set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels.o)
	set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
	set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
	add_custom_command(OUTPUT ${object}
		COMMAND nprocc ${arg_OPTIONS} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
			"$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" -MF ${object}.d
			-c ${sources} -o ${object}
		DEPENDS nprocc ${sources}
		DEPFILE ${object}.d
		WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
		COMMENT "Compiling kernels of ${target}"
		COMMAND_EXPAND_LISTS VERBATIM)
	set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
	target_sources(${target} PRIVATE ${object})
	target_link_libraries(${target} PRIVATE nearside)
endfunction()
