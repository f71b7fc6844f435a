# The riscv64 code of the images, run by QEMU as bare metal. Not in sanitizer builds: it would be the same.
if(NOT NEARSIDE_SANITIZE STREQUAL "none")
	return()
endif()

set(riscv_images)
foreach(level ${kernel_levels})
	list(APPEND riscv_images ${CMAKE_CURRENT_BINARY_DIR}/accepted-O${level}.nk
		${CMAKE_CURRENT_BINARY_DIR}/faults-O${level}.nk)
endforeach()

set(emu_riscv ${PROJECT_SOURCE_DIR}/emu/riscv)
file(GLOB riscv_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/channels/*.c ${PROJECT_SOURCE_DIR}/device/*.c
	${emu_riscv}/*.c ${emu_riscv}/*.S)
list(APPEND riscv_sources ${PROJECT_SOURCE_DIR}/emu/elf64.c ${CMAKE_CURRENT_SOURCE_DIR}/fake_ops.c
	${CMAKE_CURRENT_SOURCE_DIR}/world_pipes.c ${CMAKE_CURRENT_SOURCE_DIR}/riscv/main.c
	${CMAKE_CURRENT_SOURCE_DIR}/riscv/images.S)

find_program(NEARSIDE_CLANG clang HINTS /usr/lib/llvm-19/bin NO_DEFAULT_PATH REQUIRED)
set(riscv_machine --target=riscv64-unknown-elf -march=rv64gc_zba_zbb_zbs -mabi=lp64d -mcmodel=medany)
set(riscv_flags -std=c11 -O2 -g -Wall -Wextra -Werror -ffreestanding -fno-builtin -fno-stack-protector -nostdlib
	-I${PROJECT_SOURCE_DIR} -Wa,-I${CMAKE_CURRENT_BINARY_DIR})
set(riscv_firmware ${CMAKE_CURRENT_BINARY_DIR}/riscv.elf)
add_custom_command(OUTPUT ${riscv_firmware}
	COMMAND ${NEARSIDE_CLANG} -E -P -x c -I${PROJECT_SOURCE_DIR} ${emu_riscv}/link.ld -o ${riscv_firmware}.ld
	COMMAND ${NEARSIDE_CLANG} ${riscv_machine} ${riscv_flags} -fuse-ld=lld -static -Wl,-T,${riscv_firmware}.ld
		${riscv_sources} -o ${riscv_firmware}
	DEPENDS ${riscv_sources} ${riscv_images} ${emu_riscv}/link.ld VERBATIM)
add_custom_target(compiler_riscv_firmware DEPENDS ${riscv_firmware})
add_dependencies(compiler_riscv_firmware accepted_images faults_images)

nearside_test(test_riscv test_riscv.c marks.c native.c world.c world_pipes.c ${native_sources}
	${CMAKE_CURRENT_BINARY_DIR}/native_kernels.c LINK m TIMEOUT 180)
target_compile_definitions(test_riscv PRIVATE
	FIRMWARE="${riscv_firmware}" FAULTS="${CMAKE_CURRENT_SOURCE_DIR}/faults")
set_tests_properties(test_riscv PROPERTIES SKIP_RETURN_CODE 77)
add_dependencies(test_riscv compiler_riscv_firmware)
