# find_package(clusterc): the program as clusterc::clusterc, and two functions for builds that hold specs.
#   clusterc_check(NAME SPEC [OPTION…])            adds the test NAME: clusterc check SPEC OPTION…
#   clusterc_compile(TARGET SPEC FOLDER [OPTION…]) adds the target TARGET: clusterc compile SPEC -o FOLDER OPTION…; it runs again when SPEC changes
get_filename_component(_clusterc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET clusterc::clusterc)
  add_executable(clusterc::clusterc IMPORTED)
  set_target_properties(clusterc::clusterc PROPERTIES IMPORTED_LOCATION "${_clusterc_prefix}/bin/clusterc")
endif()
if(NOT EXISTS "${_clusterc_prefix}/bin/clusterc")
  set(clusterc_FOUND FALSE)
  set(clusterc_NOT_FOUND_MESSAGE "${_clusterc_prefix}/bin/clusterc is missing")
endif()

function(clusterc_check name spec)
  get_filename_component(spec "${spec}" ABSOLUTE)
  add_test(NAME ${name} COMMAND clusterc::clusterc check "${spec}" ${ARGN})
endfunction()

function(clusterc_compile target spec folder)
  get_filename_component(spec "${spec}" ABSOLUTE)
  get_filename_component(folder "${folder}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${target}.stamp")
  add_custom_command(OUTPUT "${stamp}"
    COMMAND clusterc::clusterc compile "${spec}" -o "${folder}" ${ARGN}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS "${spec}" clusterc::clusterc COMMENT "clusterc compile ${spec}" VERBATIM)
  add_custom_target(${target} DEPENDS "${stamp}")
endfunction()
