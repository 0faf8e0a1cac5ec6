// Bytes → doubles that are written and read back bit for bit; the same bytes as a number in a model.
#include "fuzz/fuzz.h"

#include <math.h>

static void write_and_read(double value)
{
    char text[33];
    int length = kaiNumber_Write(text, value);
    fuzz_demand(length > 0 && length <= 32 && text[length] == 0);
    double back = strtod(text, NULL);
    fuzz_demand(isnan(value) ? isnan(back) != 0 : memcmp(&back, &value, sizeof back) == 0);
}

static void as_constant(const uint8_t* bytes, size_t size)
{
    char text[200];
    if (size > 60)
        return;
    char* number = fuzz_text(bytes, size);
    snprintf(text, sizeof text, "model M { param p = %s }\n", number);
    kaiProgram* program = fuzz_open(text);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiModel* model = NULL;
    if (program != NULL)
        fuzz_read_messages(program, kaiProgram_Compile(program, &options, &model));
    kaiModel_Free(model);
    kaiProgram_Free(program);
    free(number);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    for (size_t i = 0; i + sizeof(double) <= size && i < 64; i++)
    {
        double value;
        memcpy(&value, bytes + i, sizeof value);
        write_and_read(value);
    }
    as_constant(bytes, size);
    return 0;
}
