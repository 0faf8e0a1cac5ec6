// One hash for bytes (FNV-1a) and one for numbers (the finaliser of MurmurHash3), 64 bits each. Both are the same on
// every machine, so that what is saved or compared by hash can move.
#ifndef KAIROS_BASE_HASH_H
#define KAIROS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 14695981039346656037u

// Goes on from `hash`, which begins with HASH_START. A change of one byte always changes the result.
static inline uint64_t hash_bytes(uint64_t hash, const void* bytes, size_t size)
{
    const uint8_t* at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

static inline uint64_t hash_mix(uint64_t key)
{
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53u;
    return key ^ key >> 33;
}

#endif
