// See spelling.h.
#include "lang/spelling.h"
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char* greek_letter(uint32_t code_point)
{
    static const char* const small[] = {"alpha",   "beta", "gamma", "delta",  "epsilon", "zeta", "eta",
                                        "theta",   "iota", "kappa", "lambda", "mu",      "nu",   "xi",
                                        "omicron", "pi",   "rho",   "sigma",  "sigma",   "tau",  "upsilon",
                                        "phi",     "chi",  "psi",   "omega"};
    static const char* const large[] = {"Alpha",   "Beta", "Gamma", "Delta",  "Epsilon", "Zeta", "Eta",
                                        "Theta",   "Iota", "Kappa", "Lambda", "Mu",      "Nu",   "Xi",
                                        "Omicron", "Pi",   "Rho",   "Sigma",  "Sigma",   "Tau",  "Upsilon",
                                        "Phi",     "Chi",  "Psi",   "Omega"};
    if (code_point >= 0x3B1 && code_point <= 0x3C9)
        return small[code_point - 0x3B1];
    return code_point >= 0x391 && code_point <= 0x3A9 ? large[code_point - 0x391] : NULL;
}

// The letters of Western Europe, and what else stands in formulas.
static const char* other_letter(uint32_t code_point)
{
    static const struct
    {
        uint32_t code_point;
        const char* spelt;
    } letters[] = {
        {0xC4, "Ae"},      {0xD6, "Oe"},  {0xDC, "Ue"},      {0xE4, "ae"},   {0xF6, "oe"},       {0xFC, "ue"},
        {0xDF, "ss"},      {0xE6, "ae"},  {0xF8, "oe"},      {0xE5, "aa"},   {0xE0, "a"},        {0xE1, "a"},
        {0xE2, "a"},       {0xE7, "c"},   {0xE8, "e"},       {0xE9, "e"},    {0xEA, "e"},        {0xEB, "e"},
        {0xED, "i"},       {0xEE, "i"},   {0xEF, "i"},       {0xF1, "n"},    {0xF3, "o"},        {0xF4, "o"},
        {0xFA, "u"},       {0xFB, "u"},   {0xC9, "E"},       {0xB5, "mu"},   {0xB2, "^2"},       {0xB3, "^3"},
        {0x221E, "inf"},   {0x2202, "d"}, {0x2206, "Delta"}, {0x3D5, "phi"}, {0x3F5, "epsilon"}, {0x3D1, "theta"},
        {0x2126, "Omega"},
    };
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].code_point == code_point)
            return letters[i].spelt;
    return NULL;
}

static const char* spell(uint32_t code_point, char one[2])
{
    const char* greek = greek_letter(code_point);
    if (code_point < 0x80)
        one[0] = (char)code_point;
    else if (code_point >= 0x2080 && code_point <= 0x2089)  // ₀ … ₉
        one[0] = (char)('0' + (code_point - 0x2080));
    else
        return greek ? greek : other_letter(code_point);
    one[1] = 0;
    return one;
}

static bool spelling_root(const char* text, size_t length, char spelt[SPELLING_SIZE])
{
    char inner[SPELLING_SIZE];
    if (!spelling_ascii(text + 3, length - 3, inner) || strlen(inner) + sizeof "sqrt()" > SPELLING_SIZE)
        return false;
    snprintf(spelt, SPELLING_SIZE, "sqrt(%.*s)", SPELLING_SIZE - 8, inner);
    return true;
}

bool spelling_ascii(const char* text, size_t length, char spelt[SPELLING_SIZE])
{
    size_t at = 0;
    spelt[0] = 0;
    if (length > 3 && memcmp(text, "\u221A", 3) == 0)
        return spelling_root(text, length, spelt);
    while (length > 0)
    {
        char one[2];
        uint32_t code_point;
        size_t bytes = utf8_length(text, length, &code_point);
        const char* letter = bytes > 0 ? spell(code_point, one) : NULL;
        if (!letter || at + strlen(letter) >= SPELLING_SIZE)
            return false;
        at += (size_t)snprintf(spelt + at, SPELLING_SIZE - at, "%s", letter);
        text += bytes;
        length -= bytes;
    }
    return true;
}
