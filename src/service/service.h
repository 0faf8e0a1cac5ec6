// Answering inside the house: what kaiService_Answer and the language server have in common.
#ifndef KAIROS_SERVICE_SERVICE_H
#define KAIROS_SERVICE_SERVICE_H

#include "service/answers.h"

typedef void AnswerFn(Document* document, const Json* question, JsonWriter* writer);
// By the name of the question; NULL: there is none of that name.
AnswerFn* service_find(const char* name);

#endif
