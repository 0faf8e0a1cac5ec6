// Random circuits of ideal parts (network_random.h), through compiler and run, against backward Euler with Lemke's
// method (circuit_reference.h). The states at 20 times. Networks without a solution (two sources in parallel, a current
// with nowhere to go) and those that the reference cannot settle need only come to an end; one that disagrees is asked
// again with steps a fifth as long. KAIROS_NETWORKS gives another last seed, KAIROS_NETWORKS_FROM another first one. Of
// those that the reference settles none may be wrong, and fewer than one in 500 refused.
#include "unit/network_check.h"
#include "unit/network_random.h"

// What became of a network, and why.
static Outcome compare(const Network* n, char* text, char* why, size_t size)
{
    static Expected x;
    Outcome outcome = DIFFERS;
    for (int steps = 1000; outcome == DIFFERS && steps <= 25000; steps *= 5)
    {
        bool settles = expect_states(n, steps, &x);
        write_text(n, settles ? &x : NULL, text);
        outcome = run(text, why, size);
        if (!settles)
            return outcome == HUNG ? HUNG : LEFT_OUT;
    }
    return outcome;
}

static void test_random(void** state)
{
    (void)state;
    static Network n;
    static char text[TEXT_SIZE];
    const char* number = getenv("KAIROS_NETWORKS");
    const char* begin = getenv("KAIROS_NETWORKS_FROM");
    int last = number ? atoi(number) : 150, count[OUTCOMES] = {0};
    for (int k = begin ? atoi(begin) : 1; k <= last; k++)
    {
        char why[400];
        draw_network(&n, (uint64_t)k);
        if (has_open_end(&n))
            continue;
        Outcome outcome = compare(&n, text, why, sizeof why);
        count[outcome]++;
        if (outcome != AGREES && outcome != LEFT_OUT)
            fprintf(stderr, "network %d: %s\n%s", k, why, text);
    }
    print_message(
        "%d networks agree, %d are refused, %d are wrong, %d do not end; %d that the reference does not settle\n",
        count[AGREES], count[REFUSED], count[DIFFERS], count[HUNG], count[LEFT_OUT]);
    assert_int_equal(count[DIFFERS] + count[HUNG], 0);
    assert_true(count[REFUSED] <= 0.002 * count[AGREES]);
    assert_true(begin || 4 * count[AGREES] >= last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
