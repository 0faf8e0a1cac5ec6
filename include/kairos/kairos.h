// Kairos: a modelling language and simulator for hybrid systems. Everything at once.
#ifndef KAIROS_KAIROS_H
#define KAIROS_KAIROS_H

#include "kairos/analysis.h"
#include "kairos/base.h"
#include "kairos/compare.h"
#include "kairos/diagram.h"
#include "kairos/drive.h"
#include "kairos/error.h"
#include "kairos/eval.h"
#include "kairos/fmi.h"
#include "kairos/model.h"
#include "kairos/plot.h"
#include "kairos/program.h"
#include "kairos/prove.h"
#include "kairos/result.h"
#include "kairos/service.h"
#include "kairos/settings.h"
#include "kairos/sim.h"
#include "kairos/spice.h"
#include "kairos/studio.h"
#include "kairos/study.h"

#endif
