// The answers, one function a question. Each puts members into an object that is open; they take what they need from
// the object of the question.
#ifndef KAIROS_SERVICE_ANSWERS_H
#define KAIROS_SERVICE_ANSWERS_H

#include "service/document.h"

// What is wrong with the text, as Diagnostic; `check` asks for the whole check, otherwise syntax only.
void answer_check(Document* document, const Json* question, JsonWriter* writer);
// Edits that the help of a message proposes and that leave fewer errors, as CodeAction.
void answer_actions(Document* document, const Json* question, JsonWriter* writer);

// Around a name: CompletionItem, Hover, Location, WorkspaceEdit, DocumentSymbol, TextEdit.
// The words of the language, for highlighting.
void answer_words(Document* document, const Json* question, JsonWriter* writer);
// What an experiment can be told: names, words, ranges, texts.
void answer_settings(Document* document, const Json* question, JsonWriter* writer);
void answer_complete(Document* document, const Json* question, JsonWriter* writer);
void answer_hover(Document* document, const Json* question, JsonWriter* writer);
void answer_definition(Document* document, const Json* question, JsonWriter* writer);
void answer_references(Document* document, const Json* question, JsonWriter* writer);
void answer_rename(Document* document, const Json* question, JsonWriter* writer);
void answer_symbols(Document* document, const Json* question, JsonWriter* writer);
void answer_format(Document* document, const Json* question, JsonWriter* writer);

// ---- shared

// "error": why there is no answer.
void answer_error(JsonWriter* writer, const char* sentence);
// The symbol that the question's position is at; -1: none.
int answer_symbol(Document* document, const Json* question);
// One message of the program (or of a run) as a Diagnostic.
void answer_diagnostic(const Document* document, JsonWriter* writer, const char* key, const kaiError* message);

#endif
