# What makes the program start fast; the same program without any of it.
include(CheckLinkerFlag)

# The functions of a start side by side, first in .text (tools/order-start). The script is the linker's own with these lines in it; a
# linker that shows none is left alone.
set(start_order "${PROJECT_SOURCE_DIR}/cmake/start.order")
set(start_script "${PROJECT_BINARY_DIR}/start.ld")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${start_order}")
file(WRITE "${PROJECT_BINARY_DIR}/start.c" "int main(void) { return 0; }\n")
separate_arguments(start_flags UNIX_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_EXE_LINKER_FLAGS}")
execute_process(
    COMMAND "${CMAKE_C_COMPILER}" ${start_flags} "${PROJECT_BINARY_DIR}/start.c" -o "${PROJECT_BINARY_DIR}/start" -Wl,--verbose
    OUTPUT_VARIABLE start_text
    ERROR_QUIET)
set(start_place "*(.text.unlikely .text.*_unlikely .text.unlikely.*)")
string(FIND "${start_text}" "${start_place}" start_found)
string(REGEX MATCH "\n=====+\n(.*)\n=====+\n" start_text "${start_text}")
if(start_found GREATER -1 AND start_text)
    set(start_text "${CMAKE_MATCH_1}")
    file(READ "${start_order}" start_lines)
    string(REPLACE "${start_place}" "${start_lines}${start_place}" start_text "${start_text}")
    # What an exit calls lies with them too: behind all of .text it is a page of its own.
    string(REGEX MATCH "\n  \\.fini +:[^}]*}" start_fini "${start_text}")
    if(start_fini)
        string(REPLACE "${start_fini}" "" start_text "${start_text}")
        string(REGEX REPLACE "\n  \\.text +:" "${start_fini}\\0" start_text "${start_text}")
    endif()
    file(CONFIGURE OUTPUT "${start_script}" CONTENT "${start_text}\n" @ONLY)
    check_linker_flag(C "-Wl,-T,${start_script}" KAIROS_LINKER_TAKES_SCRIPT)
    if(KAIROS_LINKER_TAKES_SCRIPT)
        target_link_options(kairos_program PRIVATE "LINKER:-T,${start_script}")
        set_property(TARGET kairos_program APPEND PROPERTY LINK_DEPENDS "${start_script}")
    endif()
endif()
