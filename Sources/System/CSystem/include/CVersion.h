/// The commit of the sources, from BUILD_COMMIT in the build's environment; empty if that was not
/// set.
const char *_Nonnull versionCommit(void);
