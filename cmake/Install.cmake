# What `cmake --install` copies: the core, its parts, public headers, model library, program, manual page, kairos.pc and kairos-config.cmake for programs
# that embed it.
install(TARGETS kairos kairos_shared ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(part IN LISTS kairos_parts)
    install(TARGETS kairos_${part} LIBRARY DESTINATION ${KAIROS_PARTS_TAIL})
endforeach()
if(TARGET kairos_program)
    install(TARGETS kairos_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/kairos" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(EXISTS "${PROJECT_SOURCE_DIR}/lib")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/lib/" DESTINATION ${KAIROS_MODELS_TAIL} FILES_MATCHING PATTERN "*.kai")
endif()
# What a page of the studio that is shared takes along, if tools/make-playground has made it.
install(FILES "${PROJECT_BINARY_DIR}/share/kairos/engine.json" DESTINATION share/kairos OPTIONAL)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" DESTINATION share/kairos/examples FILES_MATCHING PATTERN "*.kai" PATTERN "*.csv")

# Paths in kairos.pc are relative to the file itself, so that `cmake --install --prefix` and moved trees work.
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/kairos.pc.in" "${PROJECT_BINARY_DIR}/kairos.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/kairos.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# The same for find_package of CMake.
include(CMakePackageConfigHelpers)
configure_file("${PROJECT_SOURCE_DIR}/cmake/kairos-config.cmake.in" "${PROJECT_BINARY_DIR}/kairos-config.cmake" @ONLY)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kairos-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kairos-config.cmake" "${PROJECT_BINARY_DIR}/kairos-config-version.cmake"
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kairos)
install(FILES "${PROJECT_SOURCE_DIR}/docs/kairos.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Completions come from the program's own tables of options; the type of .kai files is for desktops.
if(TARGET kairos_program)
    set(completions "${PROJECT_BINARY_DIR}/completions")
    file(MAKE_DIRECTORY "${completions}")
    add_custom_command(
        OUTPUT "${completions}/kairos" "${completions}/_kairos" "${completions}/kairos.fish"
        COMMAND kairos_program --completions bash > "${completions}/kairos"
        COMMAND kairos_program --completions zsh > "${completions}/_kairos"
        COMMAND kairos_program --completions fish > "${completions}/kairos.fish"
        DEPENDS kairos_program)
    add_custom_target(kairos_completions ALL DEPENDS "${completions}/kairos")
    install(FILES "${completions}/kairos" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES "${completions}/_kairos" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES "${completions}/kairos.fish" DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES "${PROJECT_SOURCE_DIR}/cmake/share/kairos.xml" DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)

# The documents and examples, as they are written. `make docs` makes pages of them.
install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples"
    DESTINATION ${CMAKE_INSTALL_DOCDIR}
    PATTERN site EXCLUDE
    PATTERN gallery EXCLUDE
    PATTERN "kairos.1" EXCLUDE
    PATTERN "*.so" EXCLUDE
    PATTERN "*.part" EXCLUDE)
