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

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h REQUIRED)
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)

add_library(kairos_solvers INTERFACE)
target_include_directories(kairos_solvers SYSTEM INTERFACE "${SUNDIALS_INCLUDE_DIR}" "${KLU_INCLUDE_DIR}")
foreach(name IN LISTS kairos_solver_names)
    find_library(KAIROS_LIB_${name} ${name} REQUIRED)
    target_link_libraries(kairos_solvers INTERFACE "${KAIROS_LIB_${name}}")
endforeach()
target_link_libraries(kairos_solvers INTERFACE m ${CMAKE_DL_LIBS} Threads::Threads)
