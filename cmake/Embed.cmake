# cmake -DOUT=header -DSTYLE=file -DSCRIPTS=file,file,… -P Embed.cmake: the files of a page as arrays of bytes in a C header, so
# that they are written as what they are and the library needs no file at run time.
function(embed name)
    set(hex "")
    foreach(file IN LISTS ARGN)
        file(READ "${file}" part HEX)
        string(APPEND hex "${part}")
    endforeach()
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
    set(text "${text}static const unsigned char ${name}[] = {\n${bytes}};\nenum\n{\n    ${name}_size = sizeof ${name}\n};\n" PARENT_SCOPE)
endfunction()

set(text "// Written by cmake/Embed.cmake.\n")
string(REPLACE "," ";" scripts "${SCRIPTS}")
embed(page_style "${STYLE}")
embed(page_script ${scripts})
file(WRITE "${OUT}" "${text}")
