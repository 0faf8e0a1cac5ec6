# How everything of ours is compiled. Assertions stay on in the optimised build: they are the channel for our own bugs.
# An instant runs through a hundred functions in a circle: where they begin in a line of the cache is worth a tenth of its time.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g -falign-functions=64 -falign-loops=32")

add_library(kairos_flags INTERFACE)
target_compile_definitions(kairos_flags INTERFACE _GNU_SOURCE)
target_compile_options(
    kairos_flags
    INTERFACE -Wall -Wextra -Wshadow -Wconversion
              -ffp-contract=off # the same numbers on machines with and without fused multiply-add
              -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= # assertions name files of the tree, not of a machine
              $<$<BOOL:${KAIROS_WERROR}>:-Werror>)

if(KAIROS_HOSTILE)
    target_compile_definitions(kairos_flags INTERFACE KAIROS_HOSTILE)
endif()
if(NOT KAIROS_NATIVE)
    target_compile_definitions(kairos_flags INTERFACE KAIROS_NO_NATIVE)
endif()
if(KAIROS_THREADS)
    set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g")
    target_compile_options(kairos_flags INTERFACE -fsanitize=thread)
    target_link_options(kairos_flags INTERFACE -fsanitize=thread)
endif()

if(KAIROS_SANITIZE)
    set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g")
    set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(KAIROS_FUZZ)
        list(APPEND sanitize -fsanitize=fuzzer-no-link)
    endif()
    target_compile_options(kairos_flags INTERFACE ${sanitize})
    target_link_options(kairos_flags INTERFACE ${sanitize})
endif()
