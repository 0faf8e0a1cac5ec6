// The tables of fields.h, made from the lists.
#include "model/fields.h"

#define SETTING(name_, type_, ...)                                                                                     \
    {.name = #name_, .offset = offsetof(ModelSettings, name_), .size = sizeof(type_), __VA_ARGS__},
static const ModelField SETTINGS_table[] = {
#define NUMBER(name_, ...) SETTING(name_, double, .role = ROLE_NUMBER)
#define COUNT(name_, ...) SETTING(name_, double, .role = ROLE_NUMBER)
#define WORD(name_, ...) SETTING(name_, uint32_t, .role = ROLE_STRING, .array = ARRAY_strings)
#define MODEL_WORD(name_, ...) SETTING(name_, uint32_t, .role = ROLE_STRING, .array = ARRAY_strings)
#include "settings/settings.def"
};
#undef SETTING

// What a list says about a field → the rest of its ModelField. S is the record in work.
#define NUMBER .role = ROLE_NUMBER
#define FLAG .role = ROLE_FLAG, .limit = 2
#define KIND(count) .role = ROLE_KIND, .limit = (count)
#define SIGN .role = ROLE_SIGN
#define SIZE .role = ROLE_SIZE
#define LOCAL .role = ROLE_LOCAL
#define REG .role = ROLE_REG
#define REG_OF(set_) REG, .set = SET_##set_
#define REG_MAYBE .role = ROLE_REG_MAYBE
#define REG_OF_MAYBE(set_) REG_MAYBE, .set = SET_##set_
#define REG_FOR(field, kinds) .role = ROLE_REG_FOR, .other = offsetof(S, field), .limit = (kinds)
#define REG_FOR_OF(set_, field, kinds) REG_FOR(field, kinds), .set = SET_##set_
#define REG_WITH(field) .role = ROLE_REG_WITH, .other = offsetof(S, field)
#define REG_WITH_OF(set_, field) REG_WITH(field), .set = SET_##set_
#define REGS(field) .role = ROLE_REGS, .other = offsetof(S, field)
#define REGS_OF(set_, field) REGS(field), .set = SET_##set_
#define REGS_SQUARE(field) .role = ROLE_REGS_SQUARE, .other = offsetof(S, field)
#define REGS_SQUARE_OF(set_, field) REGS_SQUARE(field), .set = SET_##set_
#define STRING .role = ROLE_STRING, .array = ARRAY_strings
#define PLACE .role = ROLE_PLACE, .array = ARRAY_places
#define CODE .role = ROLE_CODE, .array = ARRAY_code
#define INDEX(to) .role = ROLE_INDEX, .array = ARRAY_##to
#define INDEX_MAYBE(to) .role = ROLE_INDEX_MAYBE, .array = ARRAY_##to
#define INDEX_PLUS(to) .role = ROLE_INDEX_PLUS, .array = ARRAY_##to
#define INDEX_ZERO(to) .role = ROLE_INDEX_ZERO, .array = ARRAY_##to
#define RANGE(to) .role = ROLE_RANGE, .array = ARRAY_##to
#define FIRST(to, field) .role = ROLE_FIRST, .array = ARRAY_##to, .other = offsetof(S, field)
#define OFFSET(to) .role = ROLE_OFFSET, .array = ARRAY_##to
#define BELOW(field) .role = ROLE_BELOW, .other = offsetof(S, field)
#define STATE .role = ROLE_STATE
#define POINTER .role = ROLE_POINTER

#define ENTRY(type_, name_, ...) {.name = #name_, .offset = offsetof(S, name_), .size = sizeof(type_), __VA_ARGS__},

#define S ModelPlace
static const ModelField PLACE_table[] = {PLACE_FIELDS(ENTRY)};
#undef S
#define S ModelVar
static const ModelField VAR_table[] = {VAR_FIELDS(ENTRY)};
#undef S
#define S Guard
static const ModelField GUARD_table[] = {GUARD_FIELDS(ENTRY)};
#undef S
#define S Memory
static const ModelField MEMORY_table[] = {MEMORY_FIELDS(ENTRY)};
#undef S
#define S Clock
static const ModelField CLOCK_table[] = {CLOCK_FIELDS(ENTRY)};
#undef S
#define S Delay
static const ModelField DELAY_table[] = {DELAY_FIELDS(ENTRY)};
#undef S
#define S Act
static const ModelField ACT_table[] = {ACT_FIELDS(ENTRY)};
#undef S
#define S Reaction
static const ModelField REACTION_table[] = {REACTION_FIELDS(ENTRY)};
#undef S
#define S Transition
static const ModelField TRANSITION_table[] = {TRANSITION_FIELDS(ENTRY)};
#undef S
#define S ModeInfo
static const ModelField MODE_table[] = {MODE_FIELDS(ENTRY)};
#undef S
#define S Machine
static const ModelField MACHINE_table[] = {MACHINE_FIELDS(ENTRY)};
#undef S
#define S Reset
static const ModelField RESET_table[] = {RESET_FIELDS(ENTRY)};
#undef S
#define S Reset
static const ModelField START_table[] = {START_FIELDS(ENTRY)};
#undef S
#define S Assertion
static const ModelField ASSERTION_table[] = {ASSERTION_FIELDS(ENTRY)};
#undef S
#define S NowState
static const ModelField NOW_table[] = {NOW_FIELDS(ENTRY)};
#undef S
#define S ModelFault
static const ModelField FAULT_table[] = {FAULT_FIELDS(ENTRY)};
#undef S
#define S Component
static const ModelField COMPONENT_table[] = {COMPONENT_FIELDS(ENTRY)};
#undef S
#define S BondPart
static const ModelField BOND_PART_table[] = {BOND_PART_FIELDS(ENTRY)};
#undef S
#define S BondLink
static const ModelField BOND_LINK_table[] = {BOND_LINK_FIELDS(ENTRY)};
#undef S
#define S BondInput
static const ModelField BOND_INPUT_table[] = {BOND_INPUT_FIELDS(ENTRY)};
#undef S
#define S BondTerm
static const ModelField BOND_TERM_table[] = {BOND_TERM_FIELDS(ENTRY)};
#undef S
#define S BondColumn
static const ModelField BOND_COLUMN_table[] = {BOND_COLUMN_FIELDS(ENTRY)};
#undef S
#define S BondOutput
static const ModelField BOND_OUTPUT_table[] = {BOND_OUTPUT_FIELDS(ENTRY)};
#undef S
#define S Carried
static const ModelField CARRIED_table[] = {CARRIED_FIELDS(ENTRY)};
#undef S
#define S BondSystem
static const ModelField BOND_SYSTEM_table[] = {BOND_SYSTEM_FIELDS(ENTRY)};
#undef S
#define S Context
static const ModelField CONTEXT_table[] = {CONTEXT_FIELDS(ENTRY)};
#undef S
#define S Island
static const ModelField ISLAND_table[] = {ISLAND_FIELDS(ENTRY)};
#undef S
#define S ModelUnit
static const ModelField UNIT_table[] = {UNIT_FIELDS(ENTRY)};
#undef S
#define S Probe
static const ModelField PROBE_table[] = {PROBE_FIELDS(ENTRY)};
#undef S
#define S Expectation
static const ModelField EXPECTATION_table[] = {EXPECTATION_FIELDS(ENTRY)};
#undef S
#define S Table
static const ModelField TABLE_table[] = {TABLE_FIELDS(ENTRY)};
#undef S
#define S External
static const ModelField EXTERNAL_table[] = {EXTERNAL_FIELDS(ENTRY)};
#undef S
#define S ModelBlock
static const ModelField BLOCK_table[] = {BLOCK_FIELDS(ENTRY)};
#undef S
#define S RecordSet
static const ModelField RECORD_table[] = {RECORD_FIELDS(ENTRY)};
#undef S
#define S PlotSet
static const ModelField PLOT_table[] = {PLOT_FIELDS(ENTRY)};
#undef S
#define S Sweep
static const ModelField SWEEP_table[] = {SWEEP_FIELDS(ENTRY)};
#undef S
#define S ModelSpread
static const ModelField SPREAD_table[] = {SPREAD_FIELDS(ENTRY)};
#undef S
#define S kaiModel
static const ModelField scalar_table[] = {MODEL_SCALARS(ENTRY)};
#define PROGRAM(name_) ENTRY(CodeRange, name_, CODE)
static const ModelField program_table[] = {MODEL_PROGRAMS(PROGRAM)};
#undef PROGRAM

#define TABLE(list) .fields = list, .field_count = sizeof(list) / sizeof *(list)
#define RECORDS(list) TABLE(list##_table)
#define EACH(...) .fields = (const ModelField[]){{.name = "", .size = sizeof(uint32_t), __VA_ARGS__}}, .field_count = 1
#define NUMBERS(type_) .fields = (const ModelField[]){{.name = "", .size = sizeof(type_), NUMBER}}, .field_count = 1
#define WORDS EACH(.role = ROLE_WORD)

const ModelTable model_tables[MODEL_TABLE_COUNT] = {
#define X(type_, name_, ...)                                                                                           \
    {.name = #name_,                                                                                                   \
     .size = sizeof(type_),                                                                                            \
     .at = offsetof(kaiModel, name_),                                                                                  \
     .count = offsetof(kaiModel, name_##_count),                                                                       \
     __VA_ARGS__},
    MODEL_ARRAYS(X)
#undef X
        {.name = "model", .size = sizeof(kaiModel), .single = true, TABLE(scalar_table)},
    {.name = "settings",
     .at = offsetof(kaiModel, settings),
     .size = sizeof(ModelSettings),
     .single = true,
     TABLE(SETTINGS_table)},
    {.name = "programs", .size = sizeof(kaiModel), .single = true, TABLE(program_table)},
};
