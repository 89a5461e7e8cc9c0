// The loops of textured inks for every processor.
#define LEVEL 0
#include "Ink.inc"
