# The page of the studio inside the program (cli/page.c). studio/dist is kept with the sources, so that a build needs no npm;
# `make page` makes it anew. Where it is missing, as in a tree of sources alone, there is the plain page.
set(page_folder "${PROJECT_SOURCE_DIR}/studio/dist")
if(NOT EXISTS "${page_folder}/studio.js")
    set(page_folder "${PROJECT_SOURCE_DIR}/studio/plain")
endif()
file(GLOB page_files CONFIGURE_DEPENDS "${page_folder}/*")
set_source_files_properties(
    cli/page.c PROPERTIES COMPILE_DEFINITIONS "KAIROS_PAGE=\"${page_folder}\"" OBJECT_DEPENDS "${page_files}")
