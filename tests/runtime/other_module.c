/* A shared library that is none of gatefold's. */
int unrelated(void) { return 1; }
