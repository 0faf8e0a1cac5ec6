# The module of Python: python/src with the core inside, python/kairos beside it. The build folder has it ready to be imported
# (PYTHONPATH=build/python); python/backend.py makes a wheel of the same files.
set(Python3_FIND_STRATEGY LOCATION)
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python whose headers the module is built with")
endif()
find_package(Python3 3.11 COMPONENTS Interpreter Development.Module)
if(NOT Python3_Development.Module_FOUND OR KAIROS_SANITIZE OR KAIROS_THREADS OR KAIROS_FUZZ)
    message(STATUS "The module of Python is left out: python3-dev is not installed, or this is a build with sanitizers")
    return()
endif()

set(kairos_python_folder "${PROJECT_BINARY_DIR}/python/kairos")
file(GLOB python_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/src/*.c")
add_library(kairos_python MODULE ${python_sources})
set_target_properties(
    kairos_python PROPERTIES PREFIX "" OUTPUT_NAME "_kairos.abi3" SUFFIX ".so" C_VISIBILITY_PRESET hidden
                             LIBRARY_OUTPUT_DIRECTORY "${kairos_python_folder}")
# The headers of Python cast functions and have no `const` where texts are.
target_include_directories(kairos_python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_link_libraries(kairos_python PRIVATE kairos kairos_flags)
target_link_options(kairos_python PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)

# Files of Python as links, so that a change needs no build; parts and models where the module looks for them.
file(GLOB python_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/kairos/*.py" "${PROJECT_SOURCE_DIR}/python/kairos/*.pyi"
     "${PROJECT_SOURCE_DIR}/python/kairos/py.typed")
file(MAKE_DIRECTORY "${kairos_python_folder}")
foreach(file IN LISTS python_files)
    get_filename_component(name "${file}" NAME)
    file(CREATE_LINK "${file}" "${kairos_python_folder}/${name}" SYMBOLIC)
endforeach()
file(CREATE_LINK "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}" "${kairos_python_folder}/${CMAKE_INSTALL_LIBDIR}" SYMBOLIC)
file(CREATE_LINK "${PROJECT_BINARY_DIR}/share" "${kairos_python_folder}/share" SYMBOLIC)
