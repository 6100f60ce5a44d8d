# Compiler settings that every target shares.
add_library(clusterc_options INTERFACE)
target_compile_options(clusterc_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers>)
target_include_directories(clusterc_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

if(CLUSTERC_SANITIZE)
  add_compile_options(-fsanitize=${CLUSTERC_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CLUSTERC_SANITIZE})
endif()

# The same sources give the same bytes wherever they lie.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
