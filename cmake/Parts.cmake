# The parts (src/part/part.h): each is a module that exports one function and has its own copy of what it uses of the core.
set(KAIROS_PARTS "sundials;figures;diagrams;proofs;studio;hdf5;mpi" CACHE STRING "Which parts are built; empty: the core alone")
set(kairos_parts "")
set(part_objects "")
foreach(part IN LISTS KAIROS_PARTS)
    if(NOT KAIROS_HAS_${part})
        message(STATUS "libkairos-${part}.so is left out: its libraries are not installed (tools/install-deps)")
        continue()
    endif()
    list(APPEND kairos_parts ${part})
    add_library(kairos_part_${part} OBJECT ${kairos_${part}_files})
    kairos_compile(kairos_part_${part})
    target_link_libraries(kairos_part_${part} PRIVATE kairos_needs_${part})
    list(APPEND part_objects $<TARGET_OBJECTS:kairos_part_${part}>)
    add_library(kairos_${part} MODULE $<TARGET_OBJECTS:kairos_part_${part}>)
    set_target_properties(
        kairos_${part}
        PROPERTIES OUTPUT_NAME "kairos-${part}" LINKER_LANGUAGE C
                   LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${KAIROS_PARTS_TAIL}")
    # --exclude-libs: what the copy of the core has to show is not for others.
    target_link_libraries(kairos_${part} PRIVATE kairos kairos_flags kairos_needs_${part})
    target_link_options(kairos_${part} PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
endforeach()
if(TARGET kairos_diagrams)
    set_target_properties(kairos_diagrams PROPERTIES INSTALL_RPATH "${KAIROS_GRAPHVIZ_DIR}")
endif()
if(kairos_parts)
    add_library(kairos_part_files STATIC EXCLUDE_FROM_ALL ${part_objects}) # all of them, for unit tests of what is inside
    set_target_properties(kairos_part_files PROPERTIES LINKER_LANGUAGE C)
endif()
