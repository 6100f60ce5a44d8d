# `cmake --install build/release --prefix PREFIX`: program, validators, manual pages, completions, schemas, examples and documents. The prefix works
# by itself and can be moved: the program finds its validators beside itself, and the one library that Debian's base system lacks lies in lib/clusterc.
include(GNUInstallDirs)

set(extras ${CMAKE_BINARY_DIR}/share)
add_custom_command(OUTPUT ${extras}/man/man1/clusterc.1
  COMMAND ${CMAKE_COMMAND} -DCLUSTERC=$<TARGET_FILE:clusterc> -DFOLDER=${extras} -P ${PROJECT_SOURCE_DIR}/cmake/extras.cmake
  DEPENDS clusterc ${PROJECT_SOURCE_DIR}/cmake/extras.cmake COMMENT "Manual pages and completions" VERBATIM)
add_custom_target(clusterc_extras ALL DEPENDS ${extras}/man/man1/clusterc.1)

set_target_properties(clusterc PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/clusterc")
install(TARGETS clusterc RUNTIME DESTINATION bin)
get_target_property(simdjson_type simdjson::simdjson TYPE)
if(simdjson_type STREQUAL "SHARED_LIBRARY")
  install(IMPORTED_RUNTIME_ARTIFACTS simdjson::simdjson LIBRARY DESTINATION lib/clusterc RUNTIME DESTINATION lib/clusterc)
endif()
install(DIRECTORY ${CLUSTERC_VALIDATOR_DIR}/ DESTINATION libexec/clusterc USE_SOURCE_PERMISSIONS)
install(DIRECTORY ${extras}/ DESTINATION share)
install(DIRECTORY schemas examples DESTINATION share/clusterc)
install(DIRECTORY docs DESTINATION share/doc/clusterc)
install(FILES README.md LICENSE CHANGELOG.md SECURITY.md DESTINATION share/doc/clusterc)
configure_file(packages/cmake/clusterc-config-version.cmake.in ${CMAKE_BINARY_DIR}/generated/clusterc-config-version.cmake @ONLY)
install(FILES packages/cmake/clusterc-config.cmake ${CMAKE_BINARY_DIR}/generated/clusterc-config-version.cmake DESTINATION share/cmake/clusterc)
