// Blocks, foreign code inside a model (kairos/block.h): closed forms of one that leaks, is filled up at its indicator
// and rings at its own times; names; what each call says when it fails; copies; the questions one by one.
#include "block/instance.h"
#include "toy_block.h"

static kaiBlock block;

static int no_toy(void** state)
{
    (void)state;
    memset(&toy, 0, sizeof toy);
    toy.ends = INFINITY;
    block = toy_block();
    return 0;
}

// ---- runs

static kaiModel* model_of(const char* text, kaiAllocator allocator, kaiStatus* status)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    options.path = "tests/block/toy.kai";
    options.text = text;
    options.allocator = allocator;
    options.policy.allow_external = true;
    options.blocks = (kaiBlockProvider){toy_provide, &block};
    which.experiment = "e";
    *status = kaiProgram_Open(&options, &program, NULL);
    if (*status == KAI_OK)
        *status = kaiProgram_Compile(program, &which, &model);
    for (int i = 0; *status == KAI_ERR_MODEL && i < kaiProgram_MessageCount(program); i++)
        print_message("%s\n", kaiProgram_MessageText(program, i, false));
    kaiProgram_Free(program);
    return model;
}

#define TOY "fmu Toy = \"ball.c\"\n"  // a file must be there; the provider does not open it
static const char one[] = TOY "model M { t : Toy }\nexperiment e of M { stop = 1.5 }\n";

static const char implicit[] = TOY "model M { t : Toy }\nexperiment e of M { stop = 1.5; solver = rosenbrock }\n";

static kaiSim* sim_of(kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    return create(model, &options);
}

// Through all instants until t.
static void go(kaiSim* sim, double t)
{
    kaiStatus status = KAI_INSTANT;
    while (status == KAI_INSTANT)
        status = kaiSim_StepTo(sim, t);
    assert_int_equal(status, KAI_OK);
}

static double value(kaiSim* sim, const kaiModel* model, const char* name)
{
    double got = NAN;
    assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, name), &got));
    return got;
}

// Without inflow x = exp(-t) until it is 1/2 at ln 2, then 3/2 exp(-(t - ln 2)), which is 1/2 again at ln 6 > 1.5.
static void a_block_flows_and_jumps(void** state)
{
    (void)state;
    kaiStatus status;
    kaiModel* model = model_of(one, kaiDefaultAllocator(), &status);
    assert_int_equal(status, KAI_OK);
    kaiSim* sim = sim_of(model);
    go(sim, 0.5);
    assert_near(value(sim, model, "t.x"), exp(-0.5), 1e-8);
    assert_near(value(sim, model, "t.double"), 2 * exp(-0.5), 1e-8);
    assert_near(value(sim, model, "t.rings"), 1, 0);
    go(sim, 1);
    assert_near(value(sim, model, "t.x"), 3 * exp(-1), 1e-8);
    assert_near(value(sim, model, "t.fills"), 1, 0);
    assert_near(value(sim, model, "t.rings"), 2, 0);
    run_to_end(sim);
    assert_near(value(sim, model, "t.both"), 3 * exp(-1.5), 1e-8);
    assert_near(value(sim, model, "t.rings"), 3, 0);
    assert_int_equal(toy.open, 1);
    kaiSim_Free(sim);
    assert_int_equal(toy.open, 0);
    assert_true(toy.held > 0);
    kaiModel_Free(model);
    assert_int_equal(toy.held, 0);
}

// Start values, parameters and inputs of the model, two of them at once: x = 4 exp(-2 t), and x = 3 - 2 exp(-t) where 3
// runs in. An input that jumps is seen at once.
static void values_come_from_the_model(void** state)
{
    (void)state;
    kaiStatus status;
    kaiModel* model = model_of(TOY "model M { a : Toy(x = 4, k = 2); b : Toy(period = 9)\n"
                                   "  b.u = if time < 1 then 3 else 1 + time*0 }\n"
                                   "experiment e of M { stop = 1 }\n",
                               kaiDefaultAllocator(), &status);
    assert_int_equal(status, KAI_OK);
    kaiSim* sim = sim_of(model);
    go(sim, 0.75);
    assert_near(value(sim, model, "a.x"), 4 * exp(-1.5), 1e-8);
    assert_near(value(sim, model, "b.x"), 3 - 2 * exp(-0.75), 1e-8);
    assert_near(value(sim, model, "b.both"), 6 - 2 * exp(-0.75), 1e-8);
    run_to_end(sim);
    assert_near(value(sim, model, "b.both"), 4 - 2 * exp(-1), 1e-8);
    assert_near(value(sim, model, "b.rings"), 0, 0);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

static void it_may_end_the_run(void** state)
{
    (void)state;
    kaiStatus status;
    toy.ends = 0.7;  // it looks at the clock where it is filled and where it rings
    kaiModel* model = model_of(one, kaiDefaultAllocator(), &status);
    kaiSim* sim = sim_of(model);
    run_to_end(sim);
    assert_near(kaiSim_Now(sim).t, 0.8, 1e-12);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// What the text of a block calls its own ($$n, the number of commits, and $$end) is not what the block calls so.
static void names_of_the_text_hide_nothing(void** state)
{
    (void)state;
    static const kaiBlockVariable results[] = {{.name = "n", .discrete = true},
                                               {.name = "end", .reads = toy_state_only, .read_count = 1},
                                               {.name = "both"},
                                               {.name = "next", .discrete = true, .local = true}};
    kaiStatus status;
    block.outputs = results;
    kaiModel* model = model_of(one, kaiDefaultAllocator(), &status);
    kaiSim* sim = sim_of(model);
    go(sim, 1);
    assert_near(value(sim, model, "t.n"), 2, 0);  // its bell has rung at 0.4 and 0.8, and there were more commits
    assert_near(value(sim, model, "t.end"), 6 * exp(-1), 1e-8);
    assert_near(value(sim, model, "t.next"), 1, 0);
    assert_int_equal(kaiModel_FindVariable(model, "t.nothing"), -1);
    assert_true(kaiModel_FindVariable(model, "t.touched") >= 0);  // no name of the block: that of the text
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// At the end of a step it wants an instant: its commits are more than its own times, and x is the same.
static void it_may_want_an_instant_after_a_step(void** state)
{
    (void)state;
    kaiStatus status;
    block.step_done = toy_step;
    toy.wants_instants = true;
    kaiModel* model = model_of(one, kaiDefaultAllocator(), &status);
    kaiSim* sim = sim_of(model);
    go(sim, 0.3);
    assert_near(value(sim, model, "t.x"), exp(-0.3), 1e-8);
    assert_near(value(sim, model, "t.rings"), 0, 0);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// Implicit methods ask it for its slopes, and get x = exp(-t) as others do; the input sin(t) moves it by its own slope:
// x = (sin t - cos t)/2 + 3/2 exp(-t).
static void slopes_serve_implicit_methods(void** state)
{
    (void)state;
    static const char* const solvers[] = {"rosenbrock", "cvode_bdf"};
    for (size_t i = 0; i < 2; i++)
    {
        char text[300];
        kaiStatus status;
        no_toy(NULL);
        block.get_slopes = toy_slopes;
        snprintf(text, sizeof text,
                 TOY "model M { t : Toy; s : Toy; s.u = sin(time) }\nexperiment e of M { stop = 0.6; solver = %s }\n",
                 solvers[i]);
        kaiModel* model = model_of(text, kaiDefaultAllocator(), &status);
        assert_int_equal(status, KAI_OK);
        kaiSim* sim = sim_of(model);
        run_to_end(sim);
        assert_near(value(sim, model, "t.x"), exp(-0.6), 1e-5);
        assert_near(value(sim, model, "s.x"), (sin(0.6) - cos(0.6)) / 2 + 1.5 * exp(-0.6), 1e-5);
        assert_true(toy.slopes > 0);
        kaiSim_Free(sim);
        kaiModel_Free(model);
        assert_int_equal(toy.open, 0);
    }
}

// ---- trouble

static void a_failing_call_is_told(void** state)
{
    (void)state;
    static const struct
    {
        ToyCall call;
        double from;
        const char *says, *words;
    } cases[] = {
        {TOY_OPEN, 0, "no valve", "block t fails in its opening at t = 0: no valve"},
        {TOY_BEGIN, 0, "no water", "block t fails in its start at t = 0: no water"},
        {TOY_SET, 0.2, NULL, "block t fails in its set at t = "},
        {TOY_RATES, 0.2, "a leak", ": a leak"},
        {TOY_SLOPES, 0, "no slope", ": no slope"},
        {TOY_OUTPUTS, 0.2, NULL, "block t fails in its outputs at t = "},
        {TOY_INDICATORS, 0.2, NULL, "block t fails in its indicators at t = "},
        {TOY_COMMIT, 0.4, "the bell is gone", "block t fails in its commit at t = 0.4"},
        {TOY_STEP, 0.2, "enough", "block t fails in its end of a step at t = "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        kaiStatus status;
        no_toy(NULL);
        block.step_done = toy_step;
        block.get_slopes = cases[i].call == TOY_SLOPES ? toy_slopes : NULL;
        toy.call = cases[i].call;
        toy.from = cases[i].from;
        toy.says = cases[i].says;
        toy.status = KAI_ERR_RUN;
        kaiModel* model = model_of(cases[i].call == TOY_SLOPES ? implicit : one, kaiDefaultAllocator(), &status);
        kaiSim* sim = sim_of(model);
        assert_int_equal(kaiSim_Run(sim), KAI_ERR_RUN);
        if (strstr(kaiSim_Failure(sim)->message, cases[i].words) == NULL)
            fail_msg("\"%s\" instead of \"%s\"", kaiSim_Failure(sim)->message, cases[i].words);
        kaiSim_Free(sim);
        kaiModel_Free(model);
        assert_int_equal(toy.open, 0);
    }
}

// KAI_ERR_LIMIT is no failure of the block: the run says that it cannot get there.
static void a_place_that_it_does_not_know(void** state)
{
    (void)state;
    kaiStatus status;
    toy.call = TOY_RATES;
    toy.status = KAI_ERR_LIMIT;
    toy.from = 0.3;
    kaiModel* model = model_of(one, kaiDefaultAllocator(), &status);
    kaiSim* sim = sim_of(model);
    assert_int_equal(kaiSim_Run(sim), KAI_ERR_RUN);
    assert_null(strstr(kaiSim_Failure(sim)->message, "block t fails"));
    assert_true(kaiSim_Now(sim).t <= 0.3);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

// ---- copies

static void a_copy_goes_on_to_the_same_bits(void** state)
{
    (void)state;
    kaiStatus status;
    kaiModel* model = model_of(one, kaiDefaultAllocator(), &status);
    kaiSim *sim = sim_of(model), *other = sim_of(model);
    go(sim, 0.69);
    kaiSnapshot* before = kaiSim_Save(other);  // not yet opened
    kaiSnapshot* copy = kaiSim_Save(sim);
    assert_non_null(copy);
    assert_non_null(before);
    run_to_end(sim);
    double last = value(sim, model, "t.x");
    assert_int_equal(kaiSim_Restore(other, copy), KAI_OK);
    run_to_end(other);
    assert_true(value(other, model, "t.x") == last);
    assert_int_equal(kaiSim_Restore(other, before), KAI_OK);
    run_to_end(other);
    assert_near(value(other, model, "t.x"), last, 1e-8);
    toy.call = TOY_RESTORE;
    toy.status = KAI_ERR_RUN;
    assert_int_not_equal(kaiSim_Restore(other, copy), KAI_OK);
    kaiSnapshot_Free(copy);
    kaiSnapshot_Free(before);
    kaiSim_Free(sim);
    kaiSim_Free(other);
    kaiModel_Free(model);
}

static void what_cannot_be_copied_says_so(void** state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
    {
        kaiStatus status;
        no_toy(NULL);
        if (i == 0)
            block.save = NULL;
        else
            block.fixed = "water runs one way";
        kaiModel* model = model_of(one, kaiDefaultAllocator(), &status);
        kaiSim* sim = sim_of(model);
        go(sim, 0.1);
        assert_null(kaiSim_Save(sim));
        assert_string_equal(kaiSim_Failure(sim)->message, i == 0
                                                              ? "t cannot be saved: the block has no functions for it"
                                                              : "t cannot be saved: water runs one way");
        kaiSim_Free(sim);
        kaiModel_Free(model);
    }
}

// ---- one by one

static void hear(void* user, bool error, const char* text)
{
    BlockInstance* b = user;
    if (error)
        snprintf(b->said, sizeof b->said, "%s", text);
}

static void make(BlockInstance* b, kaiAllocator allocator)
{
    kaiBlockHost host = {.user = b, .instance = "t", .stop = 2, .log = hear, .allocator = allocator};
    assert_true(block_make(b, &block, &host));
}

// Registers are the arguments in their order.
static double ask(BlockInstance* b, BlockQuestion question, uint32_t index, const double* R)
{
    static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7};
    return block_ask(b, question, index, R, in_order);
}

static void commits_are_numbered(void** state)
{
    (void)state;
    BlockInstance b;
    make(&b, kaiDefaultAllocator());
    const double start[] = {0, 1, 0.4, 0}, early[] = {0, 0.1, 0.9, 0};
    assert_true(isnan(ask(&b, BLOCK_RATE, 0, early)));  // before its start
    assert_near(ask(&b, BLOCK_START, 0, start), 0, 0);
    assert_near(ask(&b, BLOCK_START, 1, start), 1, 0);
    assert_near(ask(&b, BLOCK_DUE, 0, (double[]){0, 0, 0, 0, 0}), 0, 0);
    assert_near(ask(&b, BLOCK_DUE, 0, (double[]){1, 0, 0, 0, 0}), 1, 0);  // the first round is always due
    const double first[] = {1, 0, 0, 1, 0};
    assert_near(ask(&b, BLOCK_COMMIT, BLOCK_AFTER_NEXT, first), 0.4, 0);
    double number = ask(&b, BLOCK_COMMIT, BLOCK_AFTER_NUMBER, first);
    assert_near(number, 1, 0);  // its next time was not known before
    assert_near(ask(&b, BLOCK_COMMIT, BLOCK_AFTER_END, first), 0, 0);
    assert_near(ask(&b, BLOCK_COMMIT, BLOCK_AFTER_STATES, first), 1, 0);
    assert_near(ask(&b, BLOCK_DUE, 0, (double[]){1, 0, number, 0, 0}), 0, 0);
    assert_near(ask(&b, BLOCK_DUE, 0, (double[]){1, 0, number, 2, 0}), 1, 0);  // an input that jumped
    assert_near(ask(&b, BLOCK_RATE, 0, (double[]){number, 0.1, 0.9, 3}), 2.1, 1e-15);
    assert_near(ask(&b, BLOCK_OUTPUT, 1, (double[]){number, 0.1, 0.8}), 1.6, 0);
    assert_near(ask(&b, BLOCK_OUTPUT, 2, (double[]){0, 0, 1, 0}), 1, 0);  // where it stood before the commit
    assert_near(ask(&b, BLOCK_OUTPUT, 0, (double[]){0}), 0, 0);
    assert_near(ask(&b, BLOCK_COMMIT, BLOCK_AFTER_STATES, (double[]){0, number, 0.1, 7, 0}), 7, 0);
    block_free(&b);
    block_free(&b);  // nothing twice
}

static void the_past_is_gone(void** state)
{
    (void)state;
    BlockInstance b;
    make(&b, kaiDefaultAllocator());
    const double start[] = {0, 1, 0.4, 0};
    ask(&b, BLOCK_START, 0, start);
    ask(&b, BLOCK_COMMIT, BLOCK_AFTER_NUMBER, (double[]){1, 0, 0, 1, 0});
    assert_true(isnan(ask(&b, BLOCK_RATE, 0, (double[]){0, 0.1, 0.9, 0})));  // of before the commit, elsewhere
    assert_non_null(strstr(b.why, "the run went back before a commit of it"));
    assert_true(isnan(ask(&b, BLOCK_RATE, 0, (double[]){1, 0.1, 0.9, 0})));  // failed is failed
    block_reset(&b);
    ask(&b, BLOCK_START, 0, start);
    assert_true(isnan(ask(&b, BLOCK_COMMIT, BLOCK_AFTER_NUMBER, (double[]){1, 7, 0, 1, 0})));
    assert_non_null(strstr(b.why, "block t fails in its past"));
    block_free(&b);
}

static void saved_bytes_are_looked_at(void** state)
{
    (void)state;
    BlockInstance b;
    char bytes[2000];
    size_t size = 0;
    make(&b, kaiDefaultAllocator());
    assert_true(block_save_size(&b, &size));  // before its start: what the model knows
    assert_true(size < sizeof bytes && block_save(&b, bytes, size));
    size_t closed = size;
    ask(&b, BLOCK_START, 0, (double[]){0, 1, 0.4, 0});
    assert_true(block_save_size(&b, &size));
    assert_int_equal(size, closed + sizeof(Toy));
    assert_false(block_restore(&b, bytes, closed - 1));
    assert_true(block_restore(&b, bytes, closed));
    assert_null(b.it);
    toy.call = TOY_SAVE;
    toy.status = KAI_ERR_RUN;
    ask(&b, BLOCK_START, 0, (double[]){0, 1, 0.4, 0});
    assert_false(block_save_size(&b, &size));
    assert_string_equal(b.why, "block t fails in its save at t = 0");
    block.fixed = "no";
    assert_false(block_save_size(&b, &size));
    block_free(&b);
}

// ---- names

// ---- what it said

static void* no_alloc(void* user, void* old, size_t old_size, size_t new_size)
{
    (void)user, (void)old, (void)old_size, (void)new_size;
    return NULL;
}

// The last 64 places are remembered, to the bit, until they are forgotten.
static void indicators_are_remembered(void** state)
{
    (void)state;
    const kaiBlock small = {.state_count = 1, .input_count = 1, .indicator_count = 2};
    const kaiBlock large = {.state_count = 500, .indicator_count = 2};
    kaiAllocator a = kaiDefaultAllocator();
    BlockMemory m = {NULL, 0, 0};
    static double many[500];
    double x = 0, u = 3, z[2] = {0, 0};
    MemoryPlace place = {0, &x, &u}, huge = {0, many, NULL};
    assert_false(memory_recall(&m, &small, &place, z));
    for (int i = 0; i < 70; i++)
    {
        x = i;
        memory_keep(&m, &small, a, &place, (double[]){i, -i});
    }
    x = 5;
    assert_false(memory_recall(&m, &small, &place, z));  // others have come since
    x = 6;
    assert_true(memory_recall(&m, &small, &place, z));
    assert_true(z[0] == 6 && z[1] == -6);
    place.time = -0.0;
    assert_false(memory_recall(&m, &small, &place, z));
    place.time = 0;
    u = 4;
    assert_false(memory_recall(&m, &small, &place, z));
    u = 3;
    memory_forget(&m);
    assert_false(memory_recall(&m, &small, &place, z));
    memory_free(&m, &small, a);
    memory_keep(&m, &large, a, &huge, z);
    assert_null(m.places);
    memory_keep(&m, &small, (kaiAllocator){no_alloc, NULL}, &place, z);
    assert_false(memory_recall(&m, &small, &place, z));
}

static void names_become_identifiers(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"a.b[1]", "a_b_1"}, {"der(x)", "der_x"}, {"model", "model_"}, {"2x", "v2x"},
        {"_ok", "_ok"},      {"a..b", "a_b"},     {"x_", "x_"},        {"x-", "x"},
        {"time", "time_"},   {"[3]", "v_3"},      {"ON", "ON_"},       {"\xc3\xa4ther", "v_ther"},
    };
    jmp_buf no_memory;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(block_identifier(&arena, cases[i][0]), cases[i][1]);
    static const kaiBlockVariable parameters[] = {{.name = "a.b"}, {.name = "a_b"}}, inputs[] = {{.name = "a[b]"}};
    kaiBlock clash = {.parameters = parameters, .inputs = inputs, .parameter_count = 2, .input_count = 1};
    const char** names = block_names(&arena, &clash);
    assert_string_equal(names[0], "a_b");
    assert_string_equal(names[1], "a_b_2");
    assert_string_equal(names[2], "a_b_3");
    uint32_t question = 9, index = 9;
    assert_true(block_question("block:2:7", &question, &index));
    assert_int_equal(question, 2);
    assert_int_equal(index, 7);
    assert_false(block_question("block:2", &question, &index));
    assert_false(block_question("block:99:0", &question, &index));
    arena_free(&arena);
}

// ---- memory

static kaiStatus whole_run(Heap* heap)
{
    kaiStatus status;
    kaiAllocator allocator = {heap_alloc, heap};
    kaiModel* model = model_of(block.get_slopes != NULL ? implicit : one, allocator, &status);
    if (model == NULL)
        return status;
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.allocator = allocator;
    options.stop = 0.75;
    kaiError error = {0};
    kaiSim* sim = kaiSim_Create(model, &options, &error);
    status = sim == NULL ? error.status : kaiSim_Run(sim);
    kaiSnapshot* copy = sim != NULL && status >= 0 ? kaiSim_Save(sim) : NULL;
    if (status >= 0)
        status = copy == NULL ? KAI_ERR_MEMORY : KAI_OK;
    kaiSnapshot_Free(copy);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return status;
}

static void no_memory_is_a_status(void** state)
{
    (void)state;
    for (int slopes = 0; slopes < 2; slopes++)
    {
        Heap all = {.fail_at = -1};
        block.get_slopes = slopes ? toy_slopes : NULL;
        assert_int_equal(whole_run(&all), KAI_OK);
        assert_int_equal(all.live, 0);
        for (long n = 0; n < all.calls; n++)
        {
            Heap heap = {.fail_at = n};
            kaiStatus status = whole_run(&heap);
            if (heap.live != 0 || toy.open != 0 || toy.held != 0 || (status >= 0 && status != KAI_OK))
                fail_msg("call %ld of %ld: status %d, %ld bytes, %d open, %d held", n, all.calls, status, heap.live,
                         toy.open, toy.held);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_block_flows_and_jumps, no_toy),
        cmocka_unit_test_setup(values_come_from_the_model, no_toy),
        cmocka_unit_test_setup(it_may_end_the_run, no_toy),
        cmocka_unit_test_setup(names_of_the_text_hide_nothing, no_toy),
        cmocka_unit_test_setup(it_may_want_an_instant_after_a_step, no_toy),
        cmocka_unit_test_setup(slopes_serve_implicit_methods, no_toy),
        cmocka_unit_test_setup(a_failing_call_is_told, no_toy),
        cmocka_unit_test_setup(a_place_that_it_does_not_know, no_toy),
        cmocka_unit_test_setup(a_copy_goes_on_to_the_same_bits, no_toy),
        cmocka_unit_test_setup(what_cannot_be_copied_says_so, no_toy),
        cmocka_unit_test_setup(commits_are_numbered, no_toy),
        cmocka_unit_test_setup(the_past_is_gone, no_toy),
        cmocka_unit_test_setup(saved_bytes_are_looked_at, no_toy),
        cmocka_unit_test(indicators_are_remembered),
        cmocka_unit_test_setup(names_become_identifiers, no_toy),
        cmocka_unit_test_setup(no_memory_is_a_status, no_toy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
