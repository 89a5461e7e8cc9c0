/// The variables that `pkd` and its programs read: for the manual page, and for
/// docs/configuration.md, which a test compares with this list and with the sources.
struct EnvironmentVariable: Sendable {
  let names: [String]
  let meaning: String

  private init(_ names: String..., meaning: String) {
    (self.names, self.meaning) = (names, meaning)
  }

  static let all = [
    EnvironmentVariable(
      "PENTIMENTO_CONFIG",
      meaning: "The file of settings of 'pkd serve', unless --config names one."),
    EnvironmentVariable(
      "PENTIMENTO_ROOT", "PENTIMENTO_…",
      meaning:
        "Any setting of 'pkd serve': PENTIMENTO_LINK_HOURS is --link-hours. Options count more."),
    EnvironmentVariable(
      "PENTIMENTO_TOKEN", meaning: "The token of 'pkd sync', unless --token gives one."),
    EnvironmentVariable(
      "PENTIMENTO_LIBRARY",
      meaning: "The library that Python loads or packs instead of the one of its package."),
    EnvironmentVariable(
      "PENTIMENTO_INSTRUCTIONS",
      meaning:
        "'any' or 'avx2': inner loops use no better instructions, to compare them; output is the same."
    ),
    EnvironmentVariable(
      "PENTIMENTO_SCRATCH", meaning: "The folder in which the Python package is built."),
    EnvironmentVariable(
      "PGPASSWORD", "PGPASSFILE",
      meaning: "The password of a database of documents; libpq also takes its other variables."),
    EnvironmentVariable(
      "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
      meaning: "The credentials of a bucket."),
    EnvironmentVariable(
      "AWS_SHARED_CREDENTIALS_FILE", "AWS_PROFILE",
      meaning: "A file of credentials, read again when it changes, and the part of it that counts."),
    EnvironmentVariable("TMPDIR", meaning: "The folder for temporary files; /tmp unless given."),
    EnvironmentVariable(
      "PATH", meaning: "Where ffmpeg, recognizers and the other programs of Pentimento are found."),
    EnvironmentVariable(
      "HOME", meaning: "Where 'pkd install' puts the command of a user: in ~/.local."),
    EnvironmentVariable(
      "TERM", "COLORTERM", meaning: "What the terminal can show: 'dumb' gets no escape codes."),
    EnvironmentVariable("NO_COLOR", meaning: "No colours in a terminal, whatever its value is."),
  ]
}
