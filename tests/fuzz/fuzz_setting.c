// Bytes → the value of a setting or of a parameter, as the command line gives it, and a number for every option of a
// run.
#include "fuzz/fuzz.h"

static const char text[] = "model M { param k = 1; state x = 1, v = 0; x' = v; v' = -k*x; discrete n = 0\n"
                           "  when down(x) { n := n + 1 }\n  modes { initial mode a { on n > 2 -> b } mode b { } } }\n"
                           "experiment e of M { stop = 3; record x every 0.1 }\n";

static void run_with(const kaiGiven* setting, const kaiGiven* value)
{
    kaiProgram* program = fuzz_open(text);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiModel* model = NULL;
    options.experiment = "e";
    options.settings = setting;
    options.setting_count = setting != NULL;
    options.values = value;
    options.value_count = value != NULL;
    fuzz_read_messages(program, kaiProgram_Compile(program, &options, &model));
    if (model != NULL)
        fuzz_run_model(model);
    kaiModel_Free(model);
    kaiProgram_Free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    static const char* const names[] = {"k", "x", "mode", "n", "v", "nothing"};
    if (size < 2 || size > 2000)
        return -1;
    char* word = fuzz_text(bytes + 1, size - 1);
    const kaiSetting* setting = kaiSettings_Get(bytes[0] % kaiSettings_Count());
    kaiGiven given = {setting->name, word}, value = {names[bytes[0] % 6], word};
    char why[300];
    kaiSetting_CheckWord(setting, word, why, sizeof why);
    kaiSetting_CheckNumber(setting, strtod(word, NULL), why, sizeof why);
    run_with(bytes[0] % 2 == 0 ? &given : NULL, bytes[0] % 3 == 0 ? &value : NULL);
    free(word);
    return 0;
}
