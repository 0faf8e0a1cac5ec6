# The binaries of FMUs, one for each version of the standard: the core with the functions that importers call, and nothing else
# to be seen. `kairos export` copies them into archives.
file(GLOB fmu_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src/fmu/*.c")
list(FILTER fmu_files EXCLUDE REGEX "src/fmu/fmi[23]")
add_library(kairos_fmu OBJECT ${fmu_files})
kairos_compile(kairos_fmu)
foreach(version 2 3)
    file(GLOB version_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src/fmu/fmi${version}*.c")
    if(NOT version_files)
        continue()
    endif()
    add_library(kairos_fmi${version} MODULE ${version_files} $<TARGET_OBJECTS:kairos_fmu>)
    kairos_compile(kairos_fmi${version})
    target_link_libraries(kairos_fmi${version} PRIVATE kairos)
    target_link_options(kairos_fmi${version} PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--strip-all)
    set_target_properties(
        kairos_fmi${version} PROPERTIES PREFIX "" OUTPUT_NAME "kairos-fmi${version}"
                                        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${KAIROS_PARTS_TAIL}")
    install(TARGETS kairos_fmi${version} LIBRARY DESTINATION ${KAIROS_PARTS_TAIL})
endforeach()

# What `kairos export --sources` adds to FMUs: the files that the binaries are made of, in one bundle. Rooms whole but for files that
# serve parts, and of the others what a program needs to be read, compiled and run.
file(GLOB source_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src/*/*.c")
list(FILTER source_files INCLUDE REGEX
     "^src/(base|part|settings|model|lang|num|vm|bond|elab|lower|schedule|emit|block|kernel|flow|watch|run|fmu)/")
list(FILTER source_files EXCLUDE REGEX "hostile\\.c$")
list(REMOVE_ITEM source_files ${kairos_sundials_files})
foreach(name compilation program query saved starts)
    list(APPEND source_files src/api/${name}.c)
endforeach()
list(APPEND source_files src/prove/overlap.c src/fmi/catalogue.c src/fmi/depend.c src/fmi/shape.c)
file(GLOB source_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src/*/*.h"
     "${PROJECT_SOURCE_DIR}/src/*/*.def" "${PROJECT_SOURCE_DIR}/include/kairos/*.h")
set(source_bundle "${PROJECT_BINARY_DIR}/${KAIROS_PARTS_TAIL}/kairos-fmu-sources")
add_custom_command(
    OUTPUT "${source_bundle}"
    COMMAND "${PROJECT_SOURCE_DIR}/tools/bundle-sources" "${source_bundle}" "${PROJECT_SOURCE_DIR}" ${source_files} ${source_headers}
            "${kairos_generated}/part_stamp.h"
    DEPENDS ${source_files} ${source_headers} tools/bundle-sources "${kairos_generated}/part_stamp.h"
    VERBATIM)
add_custom_target(kairos_fmu_sources ALL DEPENDS "${source_bundle}")
install(FILES "${source_bundle}" DESTINATION ${KAIROS_PARTS_TAIL})

# What the tests drive them with, which knows the standard and nothing of Kairos.
if(KAIROS_TESTS AND NOT KAIROS_FUZZ)
    file(GLOB importer_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fmi/importer*.c")
    list(FILTER importer_files EXCLUDE REGEX "importer(_loop|_depends|_cvode|_no_cvode)?\\.c$")
    set(importer_cvode tests/fmi/importer_no_cvode.c)
    if(KAIROS_HAS_sundials)
        set(importer_cvode tests/fmi/importer_cvode.c)
    endif()
    add_executable(fmi_importer ${importer_files} tests/fmi/importer.c tests/fmi/importer_loop.c tests/fmi/importer_depends.c
                                ${importer_cvode})
    if(KAIROS_HAS_sundials)
        target_link_libraries(fmi_importer PRIVATE kairos_needs_sundials)
    endif()
    add_executable(fmi_pair ${importer_files} tests/fmi/pair.c)
    add_executable(fmi_system ${importer_files} tests/fmi/system.c)
    add_executable(fmi_cost EXCLUDE_FROM_ALL ${importer_files} tests/fmi/cost.c)
    foreach(target fmi_importer fmi_pair fmi_system fmi_cost)
        set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
        target_link_libraries(${target} PRIVATE kairos_flags m ${CMAKE_DL_LIBS})
    endforeach()
endif()
