// "Did you mean …?": the nearest of a list of names by edit distance with transpositions (Damerau-Levenshtein,
// restricted form), letters compared without case. Names longer than NEAREST_LENGTH are not considered.
#include "lang/diagnostics.h"

#include <string.h>

enum
{
    NEAREST_LENGTH = 64,
};

static int nearest_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int nearest_min(int a, int b)
{
    return a < b ? a : b;
}

static int nearest_distance(const char* a, size_t m, const char* b, size_t n)
{
    int rows[3][NEAREST_LENGTH + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n; j++)
        above[j] = (int)j;
    for (size_t i = 1; i <= m; i++)
    {
        row[0] = (int)i;
        for (size_t j = 1; j <= n; j++)
        {
            int p = nearest_lower(a[i - 1]), q = nearest_lower(b[j - 1]);
            row[j] = nearest_min(nearest_min(above[j], row[j - 1]) + 1, above[j - 1] + (p != q));
            if (i > 1 && j > 1 && p == nearest_lower(b[j - 2]) && q == nearest_lower(a[i - 2]))
                row[j] = nearest_min(row[j], before[j - 2] + 1);
        }
        int* oldest = before;
        before = above, above = row, row = oldest;
    }
    return above[n];
}

// One slip in a short word, three in a long one; a one-letter name is near only to its other case.
static int nearest_allowed(size_t length)
{
    return length < 2 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3;
}

const char* diag_nearest(const char* word, const char* const* names, uint32_t count)
{
    size_t length = strlen(word);
    const char* best = NULL;
    int best_distance = nearest_allowed(length) + 1;
    if (length > NEAREST_LENGTH)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
    {
        size_t other = strlen(names[i]);
        if (other == 0 || other > NEAREST_LENGTH || strcmp(names[i], word) == 0)
            continue;
        int distance = nearest_distance(word, length, names[i], other);
        if (distance < best_distance)
            best = names[i], best_distance = distance;
    }
    return best;
}
