# Writes a header with the digest of the files that LIST names, one a line, and leaves it alone if nothing changed.
file(STRINGS "${LIST}" headers)
set(digests "${VERSION}")
foreach(header IN LISTS headers)
    file(SHA256 "${header}" digest)
    string(APPEND digests " ${digest}")
endforeach()
string(SHA256 stamp "${digests}")
file(CONFIGURE OUTPUT "${OUT}" CONTENT "#define PART_STAMP \"${VERSION} ${stamp}\"\n" @ONLY)
