/* first.c - README.md's first lines, as they stand, in a main. */
#include <quire/quire.h>

int main(void) {
#include "first.inc"
    return s != 2;
}
