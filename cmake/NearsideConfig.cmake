# find_package(Nearside CONFIG): the targets Nearside::nearside (static), Nearside::nearside_shared
# and Nearside::nprocc, and the function nearside_add_kernels().
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/NearsideTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/NearsideKernels.cmake)
