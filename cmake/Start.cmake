# What makes the program start fast; the same program without any of it.
include(CheckLinkerFlag)
include(CheckCSourceCompiles)

# libm when it is first called (cli/mathematics.c). With sanitizers the functions are theirs.
check_c_source_compiles("#include <features.h>\n#ifndef __GLIBC__\n#error\n#endif\nint main(void) { return 0; }" KAIROS_GLIBC)
check_linker_flag(C "-Wl,--as-needed,--wrap=dlopen" KAIROS_LINKER_WRAPS)
if(KAIROS_GLIBC AND KAIROS_LINKER_WRAPS AND NOT KAIROS_SANITIZE AND NOT KAIROS_THREADS AND NOT KAIROS_FUZZ)
    target_sources(kairos_program PRIVATE cli/mathematics.c)
    set_source_files_properties(cli/mathematics.c PROPERTIES COMPILE_OPTIONS "-fno-builtin")
    target_link_options(kairos_program PRIVATE "LINKER:--as-needed,--wrap=dlopen")
endif()

# The functions of a start side by side (tools/order-start).
set(start_order "${PROJECT_SOURCE_DIR}/cmake/start.ld")
check_linker_flag(C "-Wl,-T,${start_order}" KAIROS_LINKER_ORDERS)
if(KAIROS_LINKER_ORDERS)
    target_link_options(kairos_program PRIVATE "LINKER:-T,${start_order}")
    set_property(TARGET kairos_program APPEND PROPERTY LINK_DEPENDS "${start_order}")
endif()
