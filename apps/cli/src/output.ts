/** Ways to print an answer. */
export type Format = 'table' | 'json' | 'jsonl' | 'quiet';

export interface Terminal {
  readonly write: (text: string) => void;
  /** Characters of a line; undefined where it is no terminal. */
  readonly columns: number | undefined;
  readonly hasColour: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Controls, format characters (those that hide text or turn its direction among them), private and unassigned
 * ones, lone surrogates, line separators, and every space but the plain one: what a terminal would obey, or not show.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/**
 * A text of a stranger's as a terminal may print it: what cannot be seen is spelt out. A backslash of its own is
 * doubled, so that it does not look like something that was spelt out.
 */
export const visible = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll(hidden, (one) =>
      one === '\n' ? '\\n' : `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
    );

/** JSON with the same characters escaped as JSON has it. */
export const json = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(hidden, (one) =>
    one === '\n'
      ? one
      : one
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The record that an answer is about: `{ "draft": {…} }` is the draft. */
function subjectOf(answer: unknown): unknown {
  if (!isRow(answer) || Object.keys(answer).length > 3) return answer;
  const held = Object.values(answer).filter((value) => isRow(value));
  return held.length === 1 ? held[0] : answer;
}

/** The lists of records that an answer consists of; none of one that is a record itself. */
function listsOf(answer: unknown): readonly (readonly [string, readonly Row[]])[] {
  if (!isRow(answer) || 'id' in answer) return [];
  return Object.entries(answer).filter(
    (entry): entry is [string, Row[]] => Array.isArray(entry[1]) && entry[1].every(isRow),
  );
}

/** Prints rows, as they are or as a table. */
export function printRows(rows: readonly Row[], format: Format, terminal: Terminal): void {
  if (format === 'json') terminal.write(`${json(rows, 2)}\n`);
  else if (format === 'table') terminal.write(tableOf(rows, terminal));
  else for (const row of rows) terminal.write(format === 'jsonl' ? `${json(row)}\n` : idLine(row));
}

/** Prints one answer. */
export function printAnswer(answer: unknown, format: Format, terminal: Terminal): void {
  if (format === 'json') return terminal.write(`${json(answer, 2)}\n`);
  const lists = listsOf(answer);
  const [first] = lists;
  if (format === 'table' && lists.length > 1)
    for (const [name, rows] of lists) terminal.write(`${name}:\n${tableOf(rows, terminal)}\n`);
  else if (first) printRows(first[1], format, terminal);
  else if (format === 'jsonl') terminal.write(`${json(answer)}\n`);
  else terminal.write(format === 'quiet' ? idLine(subjectOf(answer)) : recordOf(answer, terminal));
}

/** The fields of the record that an answer is about, and those beside it: a secret that is shown once is one. */
function entriesOf(answer: Row): readonly (readonly [string, unknown])[] {
  const subject = subjectOf(answer);
  const beside = subject === answer ? [] : Object.entries(answer);
  return [...Object.entries(subject as Row), ...beside.filter(([, value]) => value !== subject)];
}

/** The id of what an answer is about; empty where it has none. */
export const idOf = (answer: unknown): string =>
  [answer, subjectOf(answer)].map(idLine).find(Boolean)?.trim() ?? '';

const idLine = (row: unknown): string =>
  isRow(row) && typeof row['id'] === 'string' ? `${row['id']}\n` : '';

/** A record, a line a field. A person reads the beginning of a text; a program asks for JSON. */
function recordOf(answer: unknown, { columns }: Terminal): string {
  if (!isRow(answer)) return `${visible(String(answer))}\n`;
  const entries = entriesOf(answer);
  const width = Math.max(...entries.map(([{ length }]) => length));
  const shown = (text: string): string =>
    columns === undefined || text.length <= textMax
      ? text
      : `${text.slice(0, textMax)}… (${text.length - textMax} more characters: --json)`;
  return entries.map(([name, one]) => `${name.padEnd(width)}  ${shown(cellOf(one))}\n`).join('');
}

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? visible(value) : json(value);
};

const textMax = 2_000;
const columnsMax = 6;
const cellMax = 48;
const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`;

/** The first columns that say something in a line, as wide as the terminal. */
function tableOf(rows: readonly Row[], { columns = Infinity, hasColour }: Terminal): string {
  if (rows.length === 0) return 'Nothing.\n';
  const isShown = (name: string) =>
    rows.some((row) => !isEmpty(row[name]) && typeof row[name] !== 'object');
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter(isShown)
    .slice(0, columnsMax);
  const cells = rows.map((row) => names.map((name) => cut(cellOf(row[name]), cellMax)));
  const widths = names.map((name, at) =>
    Math.max(name.length, ...cells.map((line) => line[at]?.length ?? 0)),
  );
  const lineOf = (line: readonly string[]): string =>
    cut(
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
      columns,
    );
  const head = lineOf(names);
  return `${[hasColour ? bold(head) : head, ...cells.map(lineOf)].join('\n')}\n`;
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`;
