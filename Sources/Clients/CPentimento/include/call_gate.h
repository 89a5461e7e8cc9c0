#ifndef CALL_GATE_H
#define CALL_GATE_H

// Keeps calls and forks apart. A forked process has only the thread that forked, so an operation of
// another thread, such as holding a lock or the first use of a table, would never end there. A fork
// waits until no thread is in a call, and calls that begin meanwhile wait until the fork is done.

/// Begins a call of the library on this thread.
void callBegin(void);

/// Ends the call.
void callEnd(void);

#endif
