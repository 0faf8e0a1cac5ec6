// Every field of compiled models with hostile values, one at a time: the model is refused, or whoever runs it does not
// notice more than wrong numbers. A sample of the fields in a test; KAIROS_FIELDS=1 takes all, =n every n-th.
#include "load_fixture.h"
#include "unit/pokes.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* const files[] = {
    "examples/ball/model.kai",          "examples/cradle/model.kai",
    "tests/models/choose_first.kai",    "examples/impulsive-ball/model.kai",
    "tests/models/island_queue.kai",    "tests/models/delay_continuous.kai",
    "tests/models/delays_varying.kai",  "tests/models/queue_and_delay.kai",
    "tests/models/random_draws.kai",    "tests/models/table_linear.kai",
    "tests/models/bond_law_loop.kai",   "tests/models/bond_multiport_c.kai",
    "tests/models/reaction_cyclic.kai", "examples/step-derivatives/model.kai",
    "tests/models/impulse_numeric.kai", "examples/buck/model.kai",
    "tests/models/distributions.kai",   "examples/robertson/model.kai",
    "examples/pushing/model.kai",       "tests/models/sliding.kai",
};

typedef struct Tour
{
    long every, seen, accepted, refused, broken;
    const char* file;
    const char* only;  // a table.field, to look at one
} Tour;

// In a process of its own, so that a crash has a name and does not hide the next.
static bool survives(const kaiModel* model)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
    {
        alarm(20);
        for (int i = 1; i < NSIG; i++)  // those of cmocka
            if (i != SIGKILL && i != SIGSTOP)
                signal(i, SIG_DFL);
        pokes_use(model);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void try_poke(Tour* tour, const kaiModel* model, uint32_t t, uint32_t record, uint32_t f, uint32_t word,
                     uint32_t n)
{
    const ModelTable* table = &model_tables[t];
    const ModelField* field = &table->fields[f];
    if (field->role == ROLE_POINTER || ++tour->seen % tour->every != 0)
        return;
    kaiModel* copy = pokes_copy(model);
    if (pokes_set(copy, pokes_record(copy, table, record), field, word, n))
    {
        Text why = {0};
        bool fine = model_validate(copy, &why);
        assert_true(fine || why.length > 0);
        tour->accepted += fine;
        tour->refused += !fine;
        if (fine && !survives(copy))
        {
            tour->broken++;
            print_message("%s: %s %u, %s, word %u, value %u\n", tour->file, table->name, record, field->name, word, n);
        }
    }
    pokes_free(copy);
}

static bool is_wanted(const Tour* tour, const ModelTable* table, const ModelField* field)
{
    char name[100];
    snprintf(name, sizeof name, "%s.%s", table->name, field->name);
    return tour->only == NULL || strcmp(tour->only, name) == 0;
}

// The first, the last and one between.
static void tour_table(Tour* tour, const kaiModel* model, uint32_t t)
{
    const ModelTable* table = &model_tables[t];
    uint32_t count = table_count(model, table), step = count > 3 ? (count - 1) / 2 : 1;
    if (t == ARRAY_code)
        step = count > 400 ? count / 400 : 1;
    for (uint32_t f = 0; f < table->field_count; f++)
        for (uint32_t record = 0; record < count && is_wanted(tour, table, &table->fields[f]); record += step)
            for (uint32_t word = 0; word < pokes_words(&table->fields[f]); word++)
                for (uint32_t n = 0; n < POKES_VALUES; n++)
                    try_poke(tour, model, t, record, f, word, n);
}

static void test_fields(void** state)
{
    (void)state;
    const char* every = getenv("KAIROS_FIELDS");
    Tour tour = {.every = every != NULL ? atol(every) : 211, .only = getenv("KAIROS_FIELD")};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    {
        const char* one = getenv("KAIROS_FIELDS_FILE");
        if (one != NULL && strcmp(one, files[i]) != 0)
            continue;
        kaiModel* model = load_file(files[i], NULL);
        tour.file = files[i];
        for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
            tour_table(&tour, model, t);
        kaiModel_Free(model);
    }
    print_message("%ld changes, %ld refused, %ld run\n", tour.accepted + tour.refused, tour.refused, tour.accepted);
    assert_int_equal(tour.broken, 0);
    assert_true(tour.refused > 0 && tour.accepted > 0);
}

// Nothing that something may be looked up by goes unchecked: a whole number has a role, and a SIZE is the size of
// something.
static void test_roles(void** state)
{
    (void)state;
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
        for (uint32_t i = 0; i < model_tables[t].field_count; i++)
        {
            const ModelField* f = &model_tables[t].fields[i];
            bool named = f->role != ROLE_SIZE;
            for (uint32_t n = 0; n < model_tables[t].field_count && !named; n++)
            {
                const ModelField* other = &model_tables[t].fields[n];
                named = (other->role == ROLE_FIRST || other->role == ROLE_REGS || other->role == ROLE_REGS_SQUARE) &&
                        other->other == f->offset;
            }
            if (!named || (f->role == ROLE_NUMBER && f->size == sizeof(uint32_t)))
                fail_msg("%s: nothing checks %s", model_tables[t].name, f->name);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_roles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
