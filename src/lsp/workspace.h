// The models of a folder that an editor has open: what a rename must look at.
#ifndef KAIROS_LSP_WORKSPACE_H
#define KAIROS_LSP_WORKSPACE_H

#include "service/document.h"

// Adds every model in the folder, if `deep` also below it, that is not among the document's files already. Links and
// hidden folders are passed by.
void workspace_add(Document* document, const char* folder, bool deep);

#endif
