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

# What the tests drive them with, which knows the standard and nothing of Kairos.
if(KAIROS_TESTS AND NOT KAIROS_FUZZ)
    file(GLOB importer_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fmi/importer*.c")
    list(FILTER importer_files EXCLUDE REGEX "importer(_loop)?\\.c$")
    add_executable(fmi_importer ${importer_files} tests/fmi/importer.c tests/fmi/importer_loop.c)
    add_executable(fmi_pair ${importer_files} tests/fmi/pair.c)
    foreach(target fmi_importer fmi_pair)
        set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
        target_link_libraries(${target} PRIVATE kairos_flags m ${CMAKE_DL_LIBS})
    endforeach()
endif()
