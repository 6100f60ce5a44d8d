# Programs that need no shared library but glibc 2.31 or newer, for the packages (scripts/package). The same objects as the other programs are linked a second
# time, against the C library of Debian 11; nothing is compiled twice. -DCLUSTERC_GLIBC names the folder that scripts/package lays out:
#   Scrt1.o crti.o crtn.o libc.so … libgcc_eh.a    of Debian 11: what gcc -B takes in place of the system's
#   simdjson.o                                     of Debian 12's source package, which has no archive
#   cmake --build build/release --target clusterc_portable_programs       gives build/release/portable/{bin,libexec/clusterc}
set(CLUSTERC_GLIBC "" CACHE PATH "C library that the portable programs are linked against (scripts/package makes it)")
add_custom_target(clusterc_portable_programs)

# clusterc_also_portable(TARGET NAME FOLDER library…)
function(clusterc_also_portable target name folder)
  if(NOT CLUSTERC_GLIBC)
    return()
  endif()
  add_executable(${target}_portable EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${target}> ${PROJECT_SOURCE_DIR}/cmake/portable.cc ${CLUSTERC_GLIBC}/simdjson.o)
  target_link_libraries(${target}_portable PRIVATE ${ARGN})
  # A library that a program opens by name, Open MPI's, may want a newer C library than this one: its symbols are not followed.
  target_link_options(${target}_portable PRIVATE -B${CLUSTERC_GLIBC} -static-libstdc++ -static-libgcc -Wl,--as-needed -Wl,--allow-shlib-undefined -s)
  set_target_properties(${target}_portable PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX SKIP_BUILD_RPATH ON
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/portable/${folder})
  add_dependencies(clusterc_portable_programs ${target}_portable)
endfunction()
