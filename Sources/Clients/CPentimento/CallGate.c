#include "call_gate.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
// The number of threads in calls, and whether another thread forks.
static long calls;
static int isForking;
// The calls that this thread is in: more than one if a signal handler interrupted a call and calls
// the library.
static _Thread_local int depth;

void callBegin(void) {
  if (depth++ > 0) return;
  pthread_mutex_lock(&mutex);
  while (isForking) pthread_cond_wait(&changed, &mutex);
  calls++;
  pthread_mutex_unlock(&mutex);
}

void callEnd(void) {
  if (--depth > 0) return;
  pthread_mutex_lock(&mutex);
  calls--;
  if (isForking) pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void prepare(void) {
  // A handler of signals that interrupted a call cannot wait for it.
  if (depth > 0) return;
  pthread_mutex_lock(&mutex);
  while (isForking) pthread_cond_wait(&changed, &mutex);
  isForking = 1;
  while (calls > 0) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void endInParent(void) {
  if (depth > 0) return;
  pthread_mutex_lock(&mutex);
  isForking = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void endInChild(void) {
  // Threads that no longer exist may have held the mutex, or waited for it.
  mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  isForking = 0;
  calls = depth > 0;
}

__attribute__((constructor)) static void watchForks(void) {
  pthread_atfork(prepare, endInParent, endInChild);
}
