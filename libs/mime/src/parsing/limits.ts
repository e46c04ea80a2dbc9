const kibi = 1024;
const mebi = 1024 * kibi;

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
  calendarsMax: 5,
  calendarBytesMax: 192 * kibi,
  textUnitsMax: mebi,
  htmlUnitsMax: mebi,
  previewCharactersMax: 200,
} as const;

/**
 * Bounds of the bytes that the MIME parser receives. It keeps every line of a body as objects of about
 * 1 KB together, and converts whole bodies at once, so these bound the memory of a parse: a thread
 * that runs out of it would in some cases take the process with it.
 */
export const costLimits = {
  /** A text body; the shown part is bounded by `limits` anyway. */
  textBytesMax: mebi,
  textLinesMax: 30_000,
  /** A file: its type is detected from these bytes; fewer once files make up `generousBytesMax`. */
  fileBytesMax: 96 * kibi,
  generousBytesMax: 2 * mebi,
  scarceFileBytesMax: 4 * kibi,
  /** The whole message; one that is still larger is refused. */
  bytesMax: 5 * mebi,
  linesMax: 80_000,
  /** Lines that start with `--`, each of which may open a part. */
  delimitersMax: 5_000,
  nestingDepthMax: 32,
  headerBytesMax: 512 * kibi,
  /** A `winmail.dat`, as it is encoded; a larger one stays a file. */
  tnefBytesMax: 16 * mebi,
} as const;
