#ifndef CALL_GATE_H
#define CALL_GATE_H

// Keeps calls and forks apart: a process that is forked has no thread but the one that forked, so what another thread was
// in the middle of would never end there, be it a lock or the first use of a table. A fork waits until no thread is in a
// call, and calls that begin meanwhile wait until it is done.

/// Begins a call of the library on this thread.
void callBegin(void);

/// Ends it.
void callEnd(void);

#endif
