# The built-in catalogue becomes one object file of the catalogue's library.
add_executable(embed_catalog ${PROJECT_SOURCE_DIR}/cmake/embed.cc)
file(GLOB_RECURSE catalog_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/catalog/*.yaml)
set(catalog_data ${PROJECT_BINARY_DIR}/generated/catalog_data.cc)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
add_custom_command(OUTPUT ${catalog_data}
  COMMAND embed_catalog ${PROJECT_SOURCE_DIR}/catalog ${catalog_data}
  DEPENDS embed_catalog ${catalog_files}
  COMMENT "Embedding the catalogue" VERBATIM)
target_sources(clusterc_catalog PRIVATE ${catalog_data})

# So do the files of templates/, of the library that compiles.
file(GLOB_RECURSE template_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/*)
set(template_data ${PROJECT_BINARY_DIR}/generated/template_data.cc)
add_custom_command(OUTPUT ${template_data}
  COMMAND embed_catalog --templates ${PROJECT_SOURCE_DIR}/templates ${template_data}
  DEPENDS embed_catalog ${template_sources}
  COMMENT "Embedding the templates" VERBATIM)
target_sources(clusterc_compile PRIVATE ${template_data})

# And the specs of examples/, of the program itself: `clusterc init --example`.
file(GLOB example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.yaml)
set(example_data ${PROJECT_BINARY_DIR}/generated/example_data.cc)
add_custom_command(OUTPUT ${example_data}
  COMMAND embed_catalog --examples ${PROJECT_SOURCE_DIR}/examples ${example_data}
  DEPENDS embed_catalog ${example_sources}
  COMMENT "Embedding the examples" VERBATIM)

# The program and the style of the page, as npm built them: whoever builds clusterc needs no npm.
set(page_built ${PROJECT_SOURCE_DIR}/src/report/page/built)
set(page_data ${PROJECT_BINARY_DIR}/generated/page_assets.cc)
add_custom_command(OUTPUT ${page_data}
  COMMAND embed_catalog --page ${page_built} ${page_data}
  DEPENDS embed_catalog ${page_built}/page.js ${page_built}/page.css
  COMMENT "Embedding the page" VERBATIM)
target_sources(clusterc_report PRIVATE ${page_data})
