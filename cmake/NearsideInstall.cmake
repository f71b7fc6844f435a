# What `cmake --install` puts where, all of it relative to the prefix, so that the tree may be
# moved:
#
#   bin/                    nprocc, nearside, nearside-device, nearside-graph, and nearside-bench
#                           if it was built
#   lib/                    libnearside.a, libnearside.so; nprocc looks for them beside itself
#   lib/nearside/           what nearside vm puts into emulated machines
#   lib/cmake/Nearside/     find_package(Nearside CONFIG)
#   lib/pkgconfig/          nearside.pc
#   include/nearside/       the public headers, kernel.h among them
#   share/man/man1/, share/bash-completion/completions/
include(CMakePackageConfigHelpers)

if(NOT TARGET nearside OR NOT TARGET nprocc OR NEARSIDE_NPROCC)
	return() # a build of a part
endif()

set_target_properties(nprocc PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON) # LLVM may lie apart
set(package lib/cmake/Nearside)
install(TARGETS nearside nearside_shared nprocc EXPORT nearside
	RUNTIME DESTINATION bin LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
install(EXPORT nearside DESTINATION ${package} NAMESPACE Nearside:: FILE NearsideTargets.cmake)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/NearsideConfig.cmake ${PROJECT_SOURCE_DIR}/cmake/NearsideKernels.cmake
	DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/NearsideConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/NearsideConfigVersion.cmake DESTINATION ${package})

configure_file(${PROJECT_SOURCE_DIR}/cmake/nearside.pc.in ${PROJECT_BINARY_DIR}/nearside.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/nearside.pc DESTINATION lib/pkgconfig)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/nearside DESTINATION include)
foreach(program nearside-command nearside-device nearside-graph nearside-bench)
	if(TARGET ${program})
		install(TARGETS ${program} RUNTIME DESTINATION bin OPTIONAL)
	endif()
endforeach()
if(TARGET nearside_riscv_device)
	set(folder ${PROJECT_BINARY_DIR}/lib/nearside)
	install(PROGRAMS ${folder}/fetch-kernel ${folder}/guest-init DESTINATION lib/nearside OPTIONAL)
	install(FILES ${folder}/riscv.bin ${folder}/riscv.elf ${folder}/riscv-gdb.py DESTINATION lib/nearside OPTIONAL)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man/ DESTINATION share/man/man1)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scripts/completions/ DESTINATION share/bash-completion/completions)
