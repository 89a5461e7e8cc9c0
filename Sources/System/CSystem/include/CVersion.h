/// The commit of the sources, as the build was told it by BUILD_COMMIT in its environment; else an empty text.
const char *_Nonnull versionCommit(void);
