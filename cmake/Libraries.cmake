# What the parts stand on. Whatever is missing leaves out its part; the core needs none of it. Each block sets
# KAIROS_HAS_<part> and makes an interface target kairos_needs_<part>.
find_package(PkgConfig)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# SUNDIALS and KLU for stiff and large systems. Looked up by file: Debian installs no CMake package for all of them.
set(kairos_solver_names
    sundials_cvode
    sundials_nvecserial
    sundials_sunlinsoldense
    sundials_sunlinsolklu
    sundials_sunmatrixdense
    sundials_sunmatrixsparse
    sundials_sunnonlinsolfixedpoint
    sundials_sunnonlinsolnewton
    klu)
find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h)
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
add_library(kairos_needs_sundials INTERFACE)
set(KAIROS_HAS_sundials ON)
foreach(name IN LISTS kairos_solver_names)
    find_library(KAIROS_LIB_${name} ${name})
    if(NOT KAIROS_LIB_${name})
        set(KAIROS_HAS_sundials OFF)
    endif()
    target_link_libraries(kairos_needs_sundials INTERFACE "${KAIROS_LIB_${name}}")
endforeach()
if(NOT SUNDIALS_INCLUDE_DIR OR NOT KLU_INCLUDE_DIR)
    set(KAIROS_HAS_sundials OFF)
endif()
target_include_directories(kairos_needs_sundials SYSTEM INTERFACE "${SUNDIALS_INCLUDE_DIR}" "${KLU_INCLUDE_DIR}")

# kairos_needs(PART PACKAGE...): a part whose libraries pkg-config knows.
function(kairos_needs part)
    add_library(kairos_needs_${part} INTERFACE)
    set(KAIROS_HAS_${part} OFF PARENT_SCOPE)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(KAIROS_${part} QUIET IMPORTED_TARGET ${ARGN})
        if(KAIROS_${part}_FOUND)
            target_link_libraries(kairos_needs_${part} INTERFACE PkgConfig::KAIROS_${part})
            set(KAIROS_HAS_${part} ON PARENT_SCOPE)
        endif()
    endif()
endfunction()

kairos_needs(figures cairo)
kairos_needs(proofs z3)
# Debian has HDF5 for one process beside those for MPI: the first is what a result needs.
kairos_needs(hdf5 hdf5-serial)
kairos_needs(mpi ompi-c)

# The layout code of Graphviz is a plugin in a folder of its own. It is linked like any library (src/diagram/layout.c says why).
kairos_needs(diagrams libgvc libcgraph)
find_library(KAIROS_GRAPHVIZ_DOT gvplugin_dot_layout PATH_SUFFIXES graphviz)
if(KAIROS_GRAPHVIZ_DOT)
    get_filename_component(KAIROS_GRAPHVIZ_DIR "${KAIROS_GRAPHVIZ_DOT}" DIRECTORY)
    target_link_libraries(kairos_needs_diagrams INTERFACE "${KAIROS_GRAPHVIZ_DOT}" Threads::Threads)
else()
    set(KAIROS_HAS_diagrams OFF)
endif()

# The HTTP server of the studio. Debian's package for CMake names files that it does not install.
find_path(CIVETWEB_INCLUDE_DIR civetweb.h)
find_library(CIVETWEB_LIBRARY civetweb)
add_library(kairos_needs_studio INTERFACE)
set(KAIROS_HAS_studio OFF)
if(CIVETWEB_INCLUDE_DIR AND CIVETWEB_LIBRARY)
    set(KAIROS_HAS_studio ON)
    target_include_directories(kairos_needs_studio SYSTEM INTERFACE "${CIVETWEB_INCLUDE_DIR}")
    target_link_libraries(kairos_needs_studio INTERFACE "${CIVETWEB_LIBRARY}" Threads::Threads)
endif()
