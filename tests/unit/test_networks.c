// Random circuits of ideal parts (network_random.h), through compiler and run, against backward Euler with Lemke's
// method (circuit_reference.h). The states at 20 times. Networks without a solution (two sources in parallel, a current
// with nowhere to go) and those that the reference cannot settle are left out; one that disagrees is asked again with
// steps a fifth as long. KAIROS_NETWORKS gives another last seed, KAIROS_NETWORKS_FROM another first one. Of those that
// the reference settles none may be wrong, and fewer than one in 500 refused.
#include "unit/network_check.h"
#include "unit/network_random.h"

static void test_random(void** state)
{
    (void)state;
    static Network n;
    static Expected x;
    static char text[TEXT_SIZE];
    const char* number = getenv("KAIROS_NETWORKS");
    const char* begin = getenv("KAIROS_NETWORKS_FROM");
    int count = number ? atoi(number) : 150, good = 0, refused = 0, wrong = 0;
    for (int k = begin ? atoi(begin) : 1; k <= count; k++)
    {
        char why[400];
        Outcome outcome = DIFFERS;
        draw_network(&n, (uint64_t)k);
        if (has_open_end(&n))
            continue;
        for (int steps = 1000; outcome == DIFFERS && steps <= 20000; steps *= 5)
        {
            if (!expect_states(&n, steps, &x))
                break;
            write_text(&n, &x, text);
            outcome = run(text, why, sizeof why);
            if (outcome == REFUSED || (outcome == DIFFERS && steps > 20000 / 5))
            {
                fprintf(stderr, "network %d: %s\n%s", k, why, text);
                refused += outcome == REFUSED;
                wrong += outcome == DIFFERS;
            }
        }
        good += outcome == AGREES;
    }
    print_message("%d networks of %d agree, %d are refused, %d are wrong\n", good, count, refused, wrong);
    assert_int_equal(wrong, 0);
    assert_true(refused <= 0.002 * good);
    assert_true(begin || 4 * good >= count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
