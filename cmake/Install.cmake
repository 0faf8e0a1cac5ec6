# What `cmake --install` copies: the core, its parts, public headers, model library, program, manual page, and kairos.pc for programs
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
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" DESTINATION share/kairos/examples FILES_MATCHING PATTERN "*.kai" PATTERN "*.csv")

# Paths in kairos.pc are relative to the file itself, so that `cmake --install --prefix` and moved trees work.
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/kairos.pc.in" "${PROJECT_BINARY_DIR}/kairos.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/kairos.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES "${PROJECT_SOURCE_DIR}/docs/kairos.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
