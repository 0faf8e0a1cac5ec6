// Columns of a sweep whose runs have different variables and modes: all of them, in an order that keeps neighbours,
// with modes by their names.
#include "study/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char* const few[] = {"off", "on"};
static const char* const more[] = {"broken", "on", "off"};
static const kaiColumn first[] = {{.name = "x", .kind = KAI_COLUMN_REAL},
                                  {.name = "m.mode", .kind = KAI_COLUMN_MODE, .mode_names = few, .mode_count = 2}};
static const kaiColumn second[] = {{.name = "x", .kind = KAI_COLUMN_REAL},
                                   {.name = "y", .kind = KAI_COLUMN_REAL},
                                   {.name = "m.mode", .kind = KAI_COLUMN_MODE, .mode_names = more, .mode_count = 3}};

static void test_union(void** state)
{
    (void)state;
    Columns all = {0};
    assert_true(columns_add(&all, first, 2) && columns_add(&all, second, 3));
    assert_int_equal(all.count, 3);
    assert_string_equal(all.at[0].name, "x");
    assert_string_equal(all.at[1].name, "y");
    assert_string_equal(all.at[2].name, "m.mode");
    assert_int_equal(all.at[2].mode_count, 3);
    assert_string_equal(all.at[2].mode_names[2], "broken");
    columns_free(&all);
}

// `broken` is 0 in its own model and 2 in the result; y is absent where there is none.
static void test_rows(void** state)
{
    (void)state;
    Columns all = {0};
    ColumnMap map;
    const uint8_t present[] = {1, 1, 1};
    assert_true(columns_add(&all, first, 2) && columns_add(&all, second, 3));
    assert_true(columnmap_open(&map, &all, second, 3));
    static const int wanted[] = {2, 1, 0};
    for (int mode = 0; mode < 3; mode++)
    {
        double values[] = {1.5, 2.5, mode};
        kaiRow row = columnmap_row(&map, &(kaiRow){.t = 3, .values = values, .present = present});
        assert_true(row.t == 3 && row.values[0] == 1.5 && row.values[1] == 2.5);
        assert_int_equal((int)row.values[2], wanted[mode]);
    }
    columnmap_close(&map);
    assert_true(columnmap_open(&map, &all, first, 2));
    double values[] = {4, 1};
    kaiRow row = columnmap_row(&map, &(kaiRow){.values = values, .present = present});
    assert_true(row.present[0] && !row.present[1] && row.present[2]);
    assert_string_equal(all.at[2].mode_names[(int)row.values[2]], "on");
    columnmap_close(&map);
    columns_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_union), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
