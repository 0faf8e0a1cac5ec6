// The modes that were entered so far, found by their ON/OFF vector. Memory is what was visited; look-up of a known mode
// allocates nothing, and 30 switches cost nothing in themselves (rule B2).
#ifndef KAIROS_BOND_CACHE_H
#define KAIROS_BOND_CACHE_H

#include "bond/mode.h"

typedef struct BondCache BondCache;

BondCache* bond_cache_create(const BondGraph* graph, kaiAllocator allocator);  // NULL if memory ran out
void bond_cache_destroy(BondCache* cache);                                     // with its modes

// The mode of `on`, if it is there, or NULL.
BondMode* bond_cache_find(BondCache* cache, const bool* on);

// The mode of `on`, built with `storage` if it is new, from `base` (or NULL) if it differs by a switch. NULL if memory
// ran out.
BondMode* bond_cache_mode(BondCache* cache, const bool* on, const double* storage, const BondMode* base);

// A block of the caller's own beside each mode (its maps, say), of `size` bytes, zeros at first: *made then. NULL if
// memory ran out. `mode` must come from this cache, and goes with it.
void* bond_cache_attachment(BondCache* cache, const BondMode* mode, size_t size, bool* made);

size_t bond_cache_size(const BondCache* cache);  // bytes of modes and attachments
// Forgets all but two, which may be NULL.
void bond_cache_trim(BondCache* cache, const BondMode* keep, const BondMode* also);

int bond_cache_count(const BondCache* cache);
BondMode* bond_cache_at(const BondCache* cache, int index);  // in order of first visit

#endif
