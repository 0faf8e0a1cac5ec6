// Contact that holds (rule C5): a reaction brings a guard to rest on its level, and the field leads through it again.
#ifndef KAIROS_WATCH_CONTACT_H
#define KAIROS_WATCH_CONTACT_H

#include "watch/surface.h"

// Of one instant: nothing of it outlives that, so none of it is part of a snapshot.
#define CONTACT_ARRAYS(X)                                                                                              \
    X(double, before, model->state_count, 0)     /* of a state that was assigned: its value at the tag before */       \
    X(uint64_t, assigned, model->state_count, 0) /* kernel->instant_runs when it was */                                \
    X(uint32_t, states, model->state_count, 0)   /* those of this instant */                                           \
    X(bool, decisive, model->state_count, 0)     /* a lower derivative of the guard that is looked at hangs on it */   \
    X(uint32_t, reacted, model->reactions_count, 0)   /* reactions of this instant */                                  \
    X(uint32_t, makers, model->reactions_count, 0)    /* those that assigned a decisive state */                       \
    X(uint64_t, reactions, model->reactions_count, 0) /* kernel->instant_runs when it fired */                         \
    X(double, left, model->now_states_count, 0)       /* states that integrate impulses, at the left limit */          \
    X(double, jump, model->state_count, 0)                                                                             \
    X(double, registers, surfaces_wanted(flow->kernel->options) ? model->reg_count : 0, 0)                             \
    X(uint8_t, needed, model->reg_count, 0)

typedef struct Contact
{
    const kaiModel* model;
    Kernel* kernel;
    Flow* flow;
    Motion* motion;
    Surfaces* surfaces;
    uint64_t instant;  // kernel->instant_runs that the lists below belong to
    uint32_t state_count, reacted_count;
    bool moved_by_impulse, told;
#define X(type, name, count, saved) type* name;
    CONTACT_ARRAYS(X)
#undef X
} Contact;

bool contact_make(Contact* contact, Flow* flow, Motion* motion, Surfaces* surfaces);
void contact_free(Contact* contact);
void contact_before(Contact* contact);  // an instant: after the left limit
void contact_commit(Contact* contact);  // what a commit is about to assign
// Of an ordinary instant (kernel/ordinary.c): what contact_commit would have noted; whether there is nothing to watch.
void contact_late(Contact* contact);
bool contact_is_calm(const Contact* contact);
kaiStatus contact_watch(Contact* contact);  // at the end of an instant, the guards armed again
// The instant has failed because its reactions repeat themselves: a contact is a better reason, if it is one.
void contact_cycle(Contact* contact);
// Where the flow takes a guard from where it stands: the sign of its first derivative that is not 0.
int contact_leads(Contact* contact, uint32_t guard);

#endif
