const mebi = 1024 * 1024;

/**
 * Bounds of a parsed message, so that nothing hostile grows in the database, in an event or in a
 * browser. Characters are Unicode code points unless the name says otherwise.
 */
export const limits = {
  subjectCharactersMax: 998,
  nameCharactersMax: 320,
  /** RFC 5321 §4.5.3.1: 64 + 1 + 255. A longer address is left out, a cut one would be another's. */
  emailCharactersMax: 320,
  addressesMax: 500,
  /** RFC 5322 §2.1.1 line length; far enough below what a PostgreSQL index entry can hold. */
  identifierBytesMax: 998,
  referencesMax: 100,
  filenameCharactersMax: 255,
  mimeTypeCharactersMax: 127,
  attachmentsMax: 1000,
  textUnitsMax: mebi,
  htmlUnitsMax: mebi,
  previewCharactersMax: 200,
} as const;

/**
 * What one parse may cost. Chosen from measurements so that it stays within 5 s and 256 MB: beyond
 * any of them the message is shown by the fallback.
 */
export const costLimits = {
  /** Bodies that are kept line by line; about 1 KB of memory a line. */
  plainLinesMax: 100_000,
  plainBytesMax: 16 * mebi,
  linesMax: 1_500_000,
  /** Lines that start with `--`, each of which may open a part. */
  delimiterLinesMax: 5_000,
  nestingDepthMax: 32,
  headerBytesMax: mebi / 2,
} as const;
