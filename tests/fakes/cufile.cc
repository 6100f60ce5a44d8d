// In the place of libcufile.so.0, for tests alone: the one name that is looked for.
extern "C" int cuFileDriverOpen() { return 0; }
