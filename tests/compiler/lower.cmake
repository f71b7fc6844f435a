# Tests of the compiler's back half. accepted/*.c become one image per level of optimisation, and
# functions of the test program; faults/*.c likewise, without the functions.
set(kernel_levels 0 1 2 3 s)

# One image per level: kernel_images(NAME SOURCES...)
function(kernel_images name)
	set(images)
	list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE depends)
	foreach(level ${kernel_levels})
		set(image ${CMAKE_CURRENT_BINARY_DIR}/${name}-O${level}.nk)
		add_custom_command(OUTPUT ${image}
			COMMAND nprocc -O${level} -c ${ARGN} -o ${image}
			DEPENDS nprocc ${depends} ${PROJECT_SOURCE_DIR}/runtime/include/nearside/kernel.h
			WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
		list(APPEND images ${image})
	endforeach()
	add_custom_target(${name}_images DEPENDS ${images})
endfunction()

file(GLOB accepted CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/accepted/*.c)
kernel_images(accepted ${accepted})

# Each kernel as a function: one file that includes it, and a table of all.
set(native_sources)
set(native_declarations "")
set(native_entries "")
foreach(source ${accepted})
	get_filename_component(kernel ${source} NAME_WE)
	set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/native_${kernel}.c)
	list(APPEND native_sources ${wrapper})
	string(APPEND native_declarations "int64_t native_of_${kernel}(uint8_t *, uint64_t, uint64_t);\n")
	string(APPEND native_entries "\t{\"${kernel}\", native_of_${kernel}},\n")
	file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${source}\"
int64_t native_of_${kernel}(uint8_t *memory, uint64_t nbytes, uint64_t seed);
int64_t native_of_${kernel}(uint8_t *memory, uint64_t nbytes, uint64_t seed)
{
	return ${kernel}(memory, nbytes, seed);
}\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/native_kernels.c CONTENT "#include \"tests/compiler/native.h\"
${native_declarations}
const struct native native_kernels[] = {
${native_entries}	{0},
};\n")
set_source_files_properties(${native_sources} PROPERTIES
	COMPILE_OPTIONS "-fsigned-char;-ffp-contract=off;-fwrapv;-fno-strict-aliasing;-fno-sanitize=all;-w")

nearside_test(test_accepted test_accepted.c compare.c native.c world.c world_pipes.c fake_device.c fake_ops.c ${PROJECT_SOURCE_DIR}/device/context.c ${native_sources}
	${CMAKE_CURRENT_BINARY_DIR}/native_kernels.c LINK ${CMAKE_DL_LIBS} m TIMEOUT 300)
target_compile_definitions(test_accepted PRIVATE IMAGES="${CMAKE_CURRENT_BINARY_DIR}")
add_dependencies(test_accepted accepted_images)

# Kernels that are made up by the test: it compiles them for both sides, and is called by their
# code.
nearside_test(test_random test_random.c random_kernel.c random_expression.c compare.c native.c world.c world_pipes.c fake_device.c fake_ops.c
	${PROJECT_SOURCE_DIR}/device/context.c LINK ${CMAKE_DL_LIBS} m TIMEOUT 120)
set_target_properties(test_random PROPERTIES ENABLE_EXPORTS ON C_VISIBILITY_PRESET default)
target_compile_definitions(test_random PRIVATE NPROCC="$<TARGET_FILE:nprocc>" CC="${CMAKE_C_COMPILER}"
	INCLUDE="${PROJECT_SOURCE_DIR}/runtime/include" SCRATCH="${CMAKE_CURRENT_BINARY_DIR}/test_random.scratch")
add_dependencies(test_random nprocc)

nearside_test(test_accepted_device test_accepted_device.c native.c world.c world_pipes.c ${native_sources}
	${CMAKE_CURRENT_BINARY_DIR}/native_kernels.c LINK nearside m TIMEOUT 120)
target_compile_definitions(test_accepted_device PRIVATE IMAGES="${CMAKE_CURRENT_BINARY_DIR}")
add_dependencies(test_accepted_device accepted_images)

file(GLOB faults CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/faults/*.c)
kernel_images(faults ${faults})
nearside_test(test_faults test_faults.c marks.c world.c world_pipes.c fake_device.c fake_ops.c ${PROJECT_SOURCE_DIR}/device/context.c LINK ${CMAKE_DL_LIBS})
target_compile_definitions(test_faults PRIVATE
	IMAGES="${CMAKE_CURRENT_BINARY_DIR}" FAULTS="${CMAKE_CURRENT_SOURCE_DIR}/faults")
add_dependencies(test_faults faults_images)

file(GLOB kernels CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.c)
kernel_images(kernels ${kernels})
nearside_test(test_kernels test_kernels.c world.c world_pipes.c fake_device.c fake_ops.c ${PROJECT_SOURCE_DIR}/device/context.c LINK ${CMAKE_DL_LIBS})
target_compile_definitions(test_kernels PRIVATE IMAGES="${CMAKE_CURRENT_BINARY_DIR}")
add_dependencies(test_kernels kernels_images)

nearside_test(test_image test_image.c LINK nearside_compiler)
nearside_test(test_options test_options.c LINK nearside_compiler)

nearside_test(test_nprocc test_nprocc.c LINK nearside_compiler TIMEOUT 300)
target_compile_definitions(test_nprocc PRIVATE NPROCC="$<TARGET_FILE:nprocc>" SOURCE="${PROJECT_SOURCE_DIR}"
	SIZES="${CMAKE_CURRENT_SOURCE_DIR}/sizes" SCRATCH="${CMAKE_CURRENT_BINARY_DIR}/test_nprocc.scratch")
add_dependencies(test_nprocc nprocc nearside)

include(riscv/riscv.cmake)
