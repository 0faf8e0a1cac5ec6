# The core: libkairos.a and libkairos.so from the same objects. Position independent, so that an FMU or a module of Python can carry
# the static one; hidden, so that only what the public headers declare is visible in the shared one and in whatever carries
# the static one.
set(kairos_sundials_files src/num/cvode.c src/num/klu.c)
set(kairos_figures_files src/plot/cairo.c)
set(kairos_diagrams_files src/diagram/layout.c)
set(kairos_studio_files src/studio/civet.c)
set(kairos_mpi_files src/study/ranks_mpi.c)
set(kairos_hdf5_files src/result/hdf5_write.c src/result/hdf5_read.c)
file(GLOB kairos_proofs_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src/prove/*.c")
list(REMOVE_ITEM kairos_proofs_files src/prove/overlap.c) # serves `kairos check` and asks nobody

file(GLOB core_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src/*/*.c")
list(REMOVE_ITEM core_files ${kairos_sundials_files} ${kairos_figures_files} ${kairos_diagrams_files} ${kairos_proofs_files}
     ${kairos_studio_files} ${kairos_hdf5_files} ${kairos_mpi_files})

list(FILTER core_files EXCLUDE REGEX "^src/fmu/") # what FMUs carry beside the core: cmake/Fmu.cmake

if(NOT KAIROS_HOSTILE)
    list(REMOVE_ITEM core_files src/base/hostile.c src/run/hostile.c)
endif()

# Both sides of a part share structs: the stamp is a digest of all headers, and a part with another one is refused.
file(GLOB kairos_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*/*.h" "${PROJECT_SOURCE_DIR}/include/kairos/*.h")
set(kairos_generated "${PROJECT_BINARY_DIR}/generated")
string(REPLACE ";" "\n" stamp_list "${kairos_headers}")
file(WRITE "${PROJECT_BINARY_DIR}/stamp_headers.txt" "${stamp_list}\n")
add_custom_command(
    OUTPUT "${kairos_generated}/part_stamp.h"
    COMMAND "${CMAKE_COMMAND}" "-DLIST=${PROJECT_BINARY_DIR}/stamp_headers.txt" "-DOUT=${kairos_generated}/part_stamp.h"
            "-DVERSION=${PROJECT_VERSION}" -P "${PROJECT_SOURCE_DIR}/cmake/Stamp.cmake"
    DEPENDS ${kairos_headers} "${PROJECT_SOURCE_DIR}/cmake/Stamp.cmake"
    VERBATIM)
add_custom_target(kairos_stamp DEPENDS "${kairos_generated}/part_stamp.h" "${kairos_generated}/page_files.h")

# The script and style of pages (src/plot/page_text.c), in the order in which they are read.
set(page_scripts "")
foreach(name data scale draw panel lane instant view page)
    list(APPEND page_scripts "${PROJECT_SOURCE_DIR}/src/plot/page/${name}.js")
endforeach()
list(JOIN page_scripts "," page_script_list)
add_custom_command(
    OUTPUT "${kairos_generated}/page_files.h"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${kairos_generated}/page_files.h" "-DSTYLE=${PROJECT_SOURCE_DIR}/src/plot/page/page.css"
            "-DSCRIPTS=${page_script_list}" -P "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake"
    DEPENDS ${page_scripts} "${PROJECT_SOURCE_DIR}/src/plot/page/page.css" "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake"
    VERBATIM)

# kairos_compile(TARGET): how the files of the core and of the parts are compiled.
function(kairos_compile target)
    add_dependencies(${target} kairos_stamp)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
    target_include_directories(
        ${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${kairos_generated}")
    target_link_libraries(${target} PRIVATE kairos_flags)
    # Sections: a part or program takes what it uses. No interposition: the functions of the API call each other directly.
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections -fno-semantic-interposition)
    target_compile_definitions(${target} PRIVATE KAIROS_VERSION="${PROJECT_VERSION}")
endfunction()

add_library(kairos_core OBJECT ${core_files})
kairos_compile(kairos_core)

# Where things are found, relative to a prefix (src/part/home.c).
set(KAIROS_PARTS_TAIL "${CMAKE_INSTALL_LIBDIR}/kairos")
set(KAIROS_MODELS_TAIL "share/kairos/lib")
string(REGEX MATCHALL "[^/]+" library_folders "${CMAKE_INSTALL_LIBDIR}")
list(LENGTH library_folders library_depth)
set_source_files_properties(
    src/part/home.c src/part/part.c src/fmi/export.c
    PROPERTIES
        COMPILE_DEFINITIONS
        "KAIROS_PREFIX=\"${CMAKE_INSTALL_PREFIX}\";KAIROS_LIBRARY_DEPTH=${library_depth};KAIROS_PARTS_TAIL=\"${KAIROS_PARTS_TAIL}\";KAIROS_MODELS_TAIL=\"${KAIROS_MODELS_TAIL}\""
)

# Indirect branches mispredict on the machines we measured: the evaluator's switch must stay a tree of compares.
file(GLOB vm_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src/vm/*.c")
set_source_files_properties(${vm_sources} PROPERTIES COMPILE_OPTIONS "-fno-jump-tables")

# CMake wants distinct target names: the static library has the plain one, the others only the file name.
add_library(kairos STATIC $<TARGET_OBJECTS:kairos_core>)
add_library(kairos_shared SHARED $<TARGET_OBJECTS:kairos_core>)
set_target_properties(kairos_shared PROPERTIES OUTPUT_NAME kairos VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_options(kairos_shared PRIVATE -Wl,-Bsymbolic -Wl,--gc-sections)
foreach(target kairos kairos_shared)
    target_include_directories(
        ${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_link_libraries(${target} PRIVATE kairos_flags PUBLIC m ${CMAKE_DL_LIBS})
endforeach()

# The build folder has the layout of an installation: the models lie where an installed program looks for them.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/kairos")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/lib" "${PROJECT_BINARY_DIR}/${KAIROS_MODELS_TAIL}" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/examples" "${PROJECT_BINARY_DIR}/share/kairos/examples" SYMBOLIC)
