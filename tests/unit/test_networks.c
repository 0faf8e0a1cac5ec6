// Random circuits of ideal parts (network_random.h), through compiler and run, against backward Euler with Lemke's
// method (circuit_reference.h). The states at 20 times. Nearly half of them have no solution from some time on, often
// from the start (two sources in parallel, a current with nowhere to go): they must agree up to there, and be refused
// there. One that disagrees, or of which the reference cannot tell, is asked again with steps a fifth as long.
// KAIROS_NETWORKS gives another last seed, KAIROS_NETWORKS_FROM another first one. None may be wrong, fewer than one in
// 500 refused, and fewer than one in 100 left out.
#include "unit/network_check.h"
#include "unit/network_random.h"

// A network that has no solution from a time on: right up to there, and refused there.
static Outcome compare_end(const Network* n, const Expected* x, char* text, char* why, size_t size)
{
    double reached;
    Outcome outcome = x->count > 0 ? run(text, why, size) : AGREES;
    if (outcome != AGREES)
        return outcome;
    write_text(n, NULL, text);
    outcome = run_to(text, why, size, &reached);
    if (outcome == REFUSED && fabs(reached - x->end) <= x->around + 1e-6)
        return ENDS;
    if (outcome == AGREES)
        snprintf(why, size, "it runs, though there is no solution from %g on", x->end);
    return outcome == HUNG ? HUNG : outcome == REFUSED ? REFUSED : DIFFERS;
}

// What became of a network, and why.
static Outcome compare(const Network* n, char* text, char* why, size_t size)
{
    static Expected x;
    Outcome outcome = LEFT_OUT;
    for (int steps = 1000; (outcome == DIFFERS || outcome == LEFT_OUT) && steps <= 25000; steps *= 5)
    {
        outcome = LEFT_OUT;
        if (!expect_states(n, steps, &x))
            continue;
        write_text(n, &x, text);
        outcome = x.end < n->stop ? compare_end(n, &x, text, why, size) : run(text, why, size);
    }
    if (outcome != LEFT_OUT)
        return outcome;
    write_text(n, NULL, text);
    return run(text, why, size) == HUNG ? HUNG : LEFT_OUT;
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
        if (outcome != AGREES && outcome != ENDS && outcome != LEFT_OUT)
            fprintf(stderr, "network %d: %s\n%s", k, why, text);
    }
    print_message(
        "%d networks agree to the end, %d up to where they have no solution; %d are refused, %d are wrong, %d do "
        "not end; %d that the reference does not settle\n",
        count[AGREES], count[ENDS], count[REFUSED], count[DIFFERS], count[HUNG], count[LEFT_OUT]);
    assert_int_equal(count[DIFFERS] + count[HUNG], 0);
    assert_true(count[REFUSED] <= 0.002 * (count[AGREES] + count[ENDS]));
    assert_true(count[LEFT_OUT] <= 0.01 * (count[AGREES] + count[ENDS]));
    assert_true(begin || 4 * count[AGREES] >= last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
