// The columns of a sweep. A structural parameter may change which variables there are: the result has all of them, and
// a variable that a run does not have is absent in its rows.
#ifndef KAIROS_STUDY_COLUMNS_H
#define KAIROS_STUDY_COLUMNS_H

#include "kairos/kairos.h"

// Owns its texts: the models it was made from may go.
typedef struct Columns
{
    kaiColumn* at;
    int count, capacity;
} Columns;

// Adds what is not there yet, each behind the column it follows in its own model. False: out of memory.
bool columns_add(Columns* columns, const kaiColumn* more, int count);
void columns_free(Columns* columns);

// From the rows of one model to rows with all columns.
typedef struct ColumnMap
{
    const Columns* to;
    const kaiColumn* from;  // of the sim
    int from_count;
    int* target;     // of each column of `from`
    double* values;  // one row of `to`
    uint8_t* present;
} ColumnMap;

bool columnmap_open(ColumnMap* map, const Columns* to, const kaiColumn* from, int from_count);
// The row with all columns; valid until the next call.
kaiRow columnmap_row(ColumnMap* map, const kaiRow* row);
void columnmap_close(ColumnMap* map);

#endif
