/** What a spreadsheet takes for the beginning of a formula, with apostrophes before it. */
const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/**
 * A cell that begins like a formula, with an apostrophe before it, so that it is a text wherever the file is
 * opened. One that has such apostrophes of its own gets one more, so that each is read as it was.
 */
export const inertCell = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** A cell without the apostrophe of {@link inertCell}. */
export const plainCell = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;
