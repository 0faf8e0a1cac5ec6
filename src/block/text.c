// See text.h. The states of a block are states of the model, its rates their right-hand sides, its indicators guards.
// Its discrete state is a number: who reads the block hands it on, so that a reaction which changes the inside of the
// block changes something that the model can see, and what hangs on it is computed anew. It is asked to commit at every
// tag at which something is due for it: its own time or indicator, an input that jumped, or the round before wanted
// another one.
#include "block/text.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Draft
{
    Arena* arena;
    Writer out;
    const char* name;
    const kaiBlock* block;
    const char **parameters, **inputs, **outputs, **states;
    uint32_t *input_carriers, *output_carriers;  // of parts of events
} Draft;

// ---- names

// The words that may not be names, and the functions that a name would hide.
static bool is_taken(const char* name)
{
    static const char* const words[] = {
        "import",   "model",   "function", "external", "fmu",      "experiment", "param",  "state",   "discrete",
        "signal",   "event",   "input",    "output",   "unknown",  "port",       "for",    "in",      "if",
        "then",     "else",    "and",      "or",       "not",      "when",       "choose", "weight",  "modes",
        "mode",     "initial", "on",       "entry",    "resume",   "preempt",    "emit",   "halt",    "assert",
        "bond",     "connect", "as",       "of",       "record",   "every",      "plot",   "against", "sweep",
        "from",     "to",      "by",       "expect",   "within",   "true",       "false",  "inf",     "pi",
        "e_",       "time",    "switched", "island",   "equation", "nominal",    "sum",    "product", "least",
        "greatest", "forall",  "exists",   "any",      "all",      "ON",         "OFF"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

// Letters, digits and _ stay; whatever lies between them becomes one _: a.b[1] is a_b_1, der(x) is der_x.
const char* block_identifier(Arena* arena, const char* name)
{
    size_t length = strlen(name), used = 0;
    char* made = arena_alloc(arena, length + 3);
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        made[used++] = 'v';
    for (size_t i = 0; i < length; i++)
    {
        bool plain = isalnum((unsigned char)name[i]) || name[i] == '_';
        if (plain)
            made[used++] = name[i];
        else if (used > 0 && made[used - 1] != '_')
            made[used++] = '_';
    }
    while (used > 1 && made[used - 1] == '_' && name[length - 1] != '_')
        used--;
    made[used] = 0;
    if (is_taken(made))
        memcpy(made + used, "_", 2);
    return made;
}

static bool is_used(const char** names, uint32_t count, const char* name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

const char** block_names(Arena* arena, const kaiBlock* block)
{
    const kaiBlockVariable* lists[] = {block->parameters, block->inputs, block->outputs, block->states};
    const uint32_t counts[] = {block->parameter_count, block->input_count, block->output_count, block->state_count};
    uint32_t all = counts[0] + counts[1] + counts[2] + counts[3], made = 0;
    const char** names = arena_array(arena, const char*, all + 1);
    for (int k = 0; k < 4; k++)
        for (uint32_t i = 0; i < counts[k]; i++, made++)
        {
            const char *plain = block_identifier(arena, lists[k][i].name), *name = plain;
            for (int number = 2; is_used(names, made, name); number++)
                name = arena_printf(arena, "%s_%d", plain, number);
            names[made] = name;
        }
    return names;
}

// ---- what belongs to events

void block_carriers(const kaiBlock* block, uint32_t* inputs, uint32_t* outputs)
{
    const kaiBlockVariable* lists[] = {block->inputs, block->outputs};
    const uint32_t counts[] = {block->input_count, block->output_count};
    uint32_t* carriers[] = {inputs, outputs};
    for (int k = 0; k < 2; k++)
    {
        for (uint32_t i = 0; i < counts[k]; i++)
            carriers[k][i] = UINT32_MAX;
        for (uint32_t i = 0; i < counts[k]; i++)
        {
            const kaiBlockVariable* v = &lists[k][i];
            if (!v->event)
                continue;
            carriers[k][i] = i;
            if (v->payload > 0 && v->payload <= counts[k])
                carriers[k][v->payload - 1] = i;
            if (v->count > 0 && v->count <= counts[k] && k == 1)
                carriers[k][v->count - 1] = i;
        }
    }
}

static bool is_told_at_tags(const Draft* d, uint32_t output)
{
    return d->block->outputs[output].prompt || d->output_carriers[output] != UINT32_MAX;
}

// ---- functions

static const char* function_name(const Draft* d, BlockQuestion question, uint32_t index)
{
    return arena_printf(d->arena, "$%s_%u_%u", d->name, (unsigned)question, index);
}

static uint32_t plain_inputs(const Draft* d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->block->input_count; i++)
        count += d->input_carriers[i] == UINT32_MAX;
    return count;
}

static uint32_t read_count(const Draft* d, uint32_t output)
{
    const kaiBlockVariable* v = &d->block->outputs[output];
    return v->reads != NULL ? v->read_count : d->block->state_count + plain_inputs(d);
}

// The output whose reads count: of a part of an event, the event.
static const kaiBlockVariable* tag_reader(const Draft* d, uint32_t output)
{
    uint32_t carrier = d->output_carriers[output];
    return &d->block->outputs[carrier != UINT32_MAX ? carrier : output];
}

static uint32_t argument_count(const Draft* d, BlockQuestion question, uint32_t index)
{
    const kaiBlock* b = d->block;
    switch (question)
    {
    case BLOCK_START: return 1 + b->parameter_count + b->input_count;
    case BLOCK_OUTPUT: return b->outputs[index].discrete ? 1 : 2 + read_count(d, index);
    case BLOCK_DUE: return 3 + 2 * b->input_count;
    case BLOCK_COMMIT: return 3 + b->state_count + b->input_count;
    case BLOCK_TAG: return 4 + b->state_count + 2 * block_tag_inputs(b, tag_reader(d, index), NULL);
    default: return 2 + b->state_count + plain_inputs(d);
    }
}

uint32_t block_tag_inputs(const kaiBlock* block, const kaiBlockVariable* output, uint32_t* list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; output->reads != NULL && i < output->read_count; i++)
    {
        if (output->reads[i] < block->state_count)
            continue;
        if (list != NULL)
            list[count] = output->reads[i] - block->state_count;
        count++;
    }
    return count;
}

static void declare_function(Draft* d, BlockQuestion question, uint32_t index)
{
    uint32_t count = argument_count(d, question, index);
    writer_say(&d->out, "external %s(", function_name(d, question, index));
    for (uint32_t i = 0; i < count; i++)
        writer_say(&d->out, "%s$%u", i > 0 ? ", " : "", i);
    writer_say(&d->out, ") = \"block:%u:%u\"\n", (unsigned)question, index);
}

static void declare_functions(Draft* d)
{
    const kaiBlock* b = d->block;
    for (uint32_t i = 0; i <= b->state_count; i++)
        declare_function(d, BLOCK_START, i);
    for (uint32_t i = 0; i < b->state_count; i++)
        declare_function(d, BLOCK_RATE, i);
    for (uint32_t i = 0; i < b->output_count; i++)
        if (!is_told_at_tags(d, i) || b->outputs[i].prompt)
            declare_function(d, BLOCK_OUTPUT, i);
    for (uint32_t i = 0; i < b->output_count; i++)
        if (is_told_at_tags(d, i))
            declare_function(d, BLOCK_TAG, i);
    for (uint32_t i = 0; i < b->indicator_count; i++)
        declare_function(d, BLOCK_INDICATOR, i);
    declare_function(d, BLOCK_DUE, 0);
    for (uint32_t i = 0; i < BLOCK_AFTER_STATES + b->state_count; i++)
        declare_function(d, BLOCK_COMMIT, i);
}

const char* block_slope(Arena* arena, const kaiBlock* block, const char* symbol)
{
    uint32_t question, index;
    bool rate = block_question(symbol, &question, &index) && question == BLOCK_RATE;
    return rate && block->get_slopes != NULL ? arena_printf(arena, "block:%u:%u", (unsigned)BLOCK_SLOPE, index) : NULL;
}

bool block_question(const char* symbol, uint32_t* question, uint32_t* index)
{
    unsigned q, i;
    if (sscanf(symbol, "block:%u:%u", &q, &i) != 2 || q >= BLOCK_QUESTIONS)
        return false;
    *question = q;
    *index = i;
    return true;
}

// ---- the model

static void put_list(Draft* d, const char** names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        writer_say(&d->out, ", %s", names[i]);
}

// An input as a number at a tag: whether an event is there, what it carries.
static void put_input(Draft* d, uint32_t input)
{
    const kaiBlockVariable* v = &d->block->inputs[input];
    uint32_t carrier = d->input_carriers[input];
    if (v->event)
        writer_say(&d->out, ", if present(%s) then 1 else 0", d->inputs[input]);
    else if (carrier != UINT32_MAX)
        writer_say(&d->out, ", default(%s, %.17g)", d->inputs[carrier], isfinite(v->start) ? v->start : 0);
    else
        writer_say(&d->out, ", %s", d->inputs[input]);
}

// The same at the tag before, to be compared with: an event that is there is always something new, its payload alone
// never is.
static void put_input_before(Draft* d, uint32_t input)
{
    if (d->block->inputs[input].event)
        writer_put(&d->out, ", 0");
    else if (d->input_carriers[input] != UINT32_MAX)
        put_input(d, input);
    else
        writer_say(&d->out, ", pre(%s)", d->inputs[input]);
}

static void put_flow_arguments(Draft* d)
{
    writer_put(&d->out, "$$n, time");
    put_list(d, d->states, d->block->state_count);
    for (uint32_t i = 0; i < d->block->input_count; i++)
        if (d->input_carriers[i] == UINT32_MAX)
            writer_say(&d->out, ", %s", d->inputs[i]);
    writer_put(&d->out, ")");
}

static void put_start(Draft* d, uint32_t index)
{
    writer_say(&d->out, "%s(time", function_name(d, BLOCK_START, index));
    put_list(d, d->parameters, d->block->parameter_count);
    for (uint32_t i = 0; i < d->block->input_count; i++)
        if (d->block->inputs[i].event)
            writer_put(&d->out, ", 0");
        else if (d->input_carriers[i] != UINT32_MAX)
            writer_say(&d->out, ", %.17g", isfinite(d->block->inputs[i].start) ? d->block->inputs[i].start : 0);
        else
            writer_say(&d->out, ", %s", d->inputs[i]);
    writer_put(&d->out, ")");
}

static void put_commit(Draft* d, uint32_t index)
{
    writer_say(&d->out, "%s($$due, $$n, time", function_name(d, BLOCK_COMMIT, index));
    put_list(d, d->states, d->block->state_count);
    for (uint32_t i = 0; i < d->block->input_count; i++)
        put_input(d, i);
    writer_put(&d->out, ")");
}

static void put_tag(Draft* d, uint32_t output)
{
    uint32_t count = block_tag_inputs(d->block, tag_reader(d, output), NULL);
    uint32_t* list = arena_array(d->arena, uint32_t, count + 1);
    block_tag_inputs(d->block, tag_reader(d, output), list);
    writer_say(&d->out, "%s($$reacting, if present($$touched) then 1 else 0, $$n, time",
               function_name(d, BLOCK_TAG, output));
    put_list(d, d->states, d->block->state_count);
    for (uint32_t i = 0; i < count; i++)
        put_input(d, list[i]);
    for (uint32_t i = 0; i < count; i++)
        put_input_before(d, list[i]);
    writer_put(&d->out, ")");
}

static void put_text(Writer* out, const char* text)
{
    if (text == NULL || text[0] == 0)
        return;
    writer_put(out, " \"");
    for (; *text != 0; text++)
        if (*text != '"' && *text != '\\' && (unsigned char)*text >= ' ')
            writer_say(out, "%c", *text);
    writer_put(out, "\"");
}

static void put_declaration(Draft* d, const char* word, const char* name, const kaiBlockVariable* v)
{
    writer_say(&d->out, "  %s %s", word, name);
    if (v->unit != NULL && v->unit[0] != 0)
        writer_say(&d->out, " [%s]", v->unit);
}

static void put_given(Draft* d, const char* word, const char** names, const kaiBlockVariable* list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
    {
        put_declaration(d, word, names[i], &list[i]);
        writer_say(&d->out, " = %.17g", isfinite(list[i].start) ? list[i].start : 0);
        put_text(&d->out, list[i].description);
        writer_put(&d->out, "\n");
    }
}

static void put_inputs(Draft* d)
{
    const kaiBlock* b = d->block;
    for (uint32_t i = 0; i < b->input_count; i++)
    {
        const kaiBlockVariable* v = &b->inputs[i];
        if (d->input_carriers[i] == UINT32_MAX)
            put_given(d, "input", &d->inputs[i], v, 1);
        if (!v->event)
            continue;
        put_declaration(d, "input event", d->inputs[i], v->payload > 0 ? &b->inputs[v->payload - 1] : v);
        put_text(&d->out, v->description);
        writer_put(&d->out, "\n");
    }
}

static void put_states(Draft* d)
{
    for (uint32_t i = 0; i < d->block->state_count; i++)
    {
        const kaiBlockVariable* v = &d->block->states[i];
        put_declaration(d, "state", d->states[i], v);
        writer_put(&d->out, " = ");
        put_start(d, i + 1);
        if (v->start > 0 && isfinite(v->start))
            writer_say(&d->out, " nominal %.17g", v->start);
        put_text(&d->out, v->description);
        writer_say(&d->out, "\n  %s' = %s(", d->states[i], function_name(d, BLOCK_RATE, i));
        put_flow_arguments(d);
        writer_put(&d->out, "\n");
    }
}

// Between instants, and at tags as the number of the discrete state says.
static void put_plain_output(Draft* d, uint32_t output)
{
    const kaiBlock* b = d->block;
    const kaiBlockVariable* v = &b->outputs[output];
    writer_say(&d->out, "%s($$n", function_name(d, BLOCK_OUTPUT, output));
    if (!v->discrete)
        writer_put(&d->out, ", time");
    for (uint32_t k = 0; k < b->state_count + b->input_count && !v->discrete && v->reads == NULL; k++)
        if (k < b->state_count || d->input_carriers[k - b->state_count] == UINT32_MAX)
            writer_say(&d->out, ", %s", k < b->state_count ? d->states[k] : d->inputs[k - b->state_count]);
    for (uint32_t k = 0; k < v->read_count && !v->discrete && v->reads != NULL; k++)
    {
        bool state = v->reads[k] < b->state_count;
        writer_say(&d->out, ", %s", state ? d->states[v->reads[k]] : d->inputs[v->reads[k] - b->state_count]);
    }
    writer_put(&d->out, ")");
}

static void put_event(Draft* d, uint32_t output)
{
    const kaiBlockVariable* v = &d->block->outputs[output];
    writer_say(&d->out, "  event $$raised%u = sample(", output);
    put_tag(d, output);
    writer_put(&d->out, ", $$always)\n");
    put_declaration(d, v->local ? "event" : "output event", d->outputs[output],
                    v->payload > 0 ? &d->block->outputs[v->payload - 1] : v);
    writer_put(&d->out, " = ");
    if (v->payload > 0)
    {
        writer_put(&d->out, "sample(");
        put_tag(d, v->payload - 1);
        writer_put(&d->out, ", ");
    }
    writer_say(&d->out, "$$raised%u and $$raised%u > 0.5%s", output, output, v->payload > 0 ? ")" : "");
}

// What an event leaves behind, and outputs that have their value at the tag of a commit already.
static void put_held(Draft* d, uint32_t output)
{
    const kaiBlock* b = d->block;
    uint32_t carrier = d->output_carriers[output];
    if (carrier != UINT32_MAX && b->outputs[carrier].payload == output + 1)
    {
        writer_say(&d->out, "hold(%s, 0)", d->outputs[carrier]);
        return;
    }
    writer_put(&d->out, "hold(sample(");
    put_tag(d, output);
    if (carrier != UINT32_MAX)
    {
        writer_say(&d->out, ", %s), 0)", d->outputs[carrier]);
        return;
    }
    writer_put(&d->out, ", $$always), ");
    put_plain_output(d, output);
    writer_put(&d->out, ")");
}

static void put_outputs(Draft* d)
{
    const kaiBlock* b = d->block;
    for (uint32_t i = 0; i < b->output_count; i++)
    {
        const kaiBlockVariable* v = &b->outputs[i];
        if (v->event)
            put_event(d, i);
        else
        {
            put_declaration(d, v->local ? "signal" : "output", d->outputs[i], v);
            writer_put(&d->out, " = ");
            if (is_told_at_tags(d, i))
                put_held(d, i);
            else
                put_plain_output(d, i);
        }
        put_text(&d->out, v->description);
        writer_put(&d->out, "\n");
    }
}

// The moments at which the block must be asked: its own time, and changes of sign of its indicators.
static void put_moments(Draft* d)
{
    writer_put(&d->out, "  event $$timed = time >= $$next\n");
    for (uint32_t i = 0; i < d->block->indicator_count; i++)
    {
        writer_say(&d->out, "  signal $$indicator%u = %s(", i, function_name(d, BLOCK_INDICATOR, i));
        put_flow_arguments(d);
        writer_say(&d->out, "\n  event $$rises%u = $$indicator%u > 0, $$falls%u = not ($$indicator%u > 0)\n", i, i, i,
                   i);
    }
    writer_put(&d->out, "  event $$touched = $$timed");
    for (uint32_t i = 0; i < d->block->indicator_count; i++)
        writer_say(&d->out, " or $$rises%u or $$falls%u", i, i);
    writer_put(&d->out, "\n");
}

static void put_reaction(Draft* d)
{
    writer_say(&d->out, "  signal $$due = %s($$reacting, if present($$touched) then 1 else 0, $$n",
               function_name(d, BLOCK_DUE, 0));
    for (uint32_t i = 0; i < d->block->input_count; i++)
        put_input(d, i);
    for (uint32_t i = 0; i < d->block->input_count; i++)
        put_input_before(d, i);
    writer_put(&d->out, ")\n  when $$always if $$due > 0.5 {\n    $$n := ");
    put_commit(d, BLOCK_AFTER_NUMBER);
    writer_put(&d->out, "\n    $$next := ");
    put_commit(d, BLOCK_AFTER_NEXT);
    writer_put(&d->out, "\n    $$end := ");
    put_commit(d, BLOCK_AFTER_END);
    for (uint32_t i = 0; i < d->block->state_count; i++)
    {
        writer_say(&d->out, "\n    %s := ", d->states[i]);
        put_commit(d, BLOCK_AFTER_STATES + i);
    }
    writer_say(&d->out, "\n  }\n  when $$always if $$end > 0.5 { halt \"%s ends the run\" }\n", d->name);
}

const char* block_text(Arena* arena, const char* name, const kaiBlock* block)
{
    Draft d = {.arena = arena, .out = {.arena = arena}, .name = name, .block = block};
    d.parameters = block_names(arena, block);
    d.inputs = d.parameters + block->parameter_count;
    d.outputs = d.inputs + block->input_count;
    d.states = d.outputs + block->output_count;
    d.input_carriers = arena_array(arena, uint32_t, block->input_count + 1);
    d.output_carriers = arena_array(arena, uint32_t, block->output_count + 1);
    block_carriers(block, d.input_carriers, d.output_carriers);
    declare_functions(&d);
    writer_say(&d.out, "model %s", name);
    put_text(&d.out, block->description);
    writer_put(&d.out, " {\n");
    put_given(&d, "param", d.parameters, block->parameters, block->parameter_count);
    put_inputs(&d);
    writer_put(&d.out, "  event $$always = while(true)\n  signal $$reacting = if present($$always) then 1 else 0\n");
    writer_put(&d.out, "  discrete $$n = ");
    put_start(&d, 0);
    writer_put(&d.out, ", $$next = inf, $$end = 0\n");
    put_states(&d);
    put_outputs(&d);
    put_moments(&d);
    put_reaction(&d);
    writer_put(&d.out, "}\n");
    return writer_text(&d.out);
}
