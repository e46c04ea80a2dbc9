import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@postroom/service/setup-error';
import type { MadeFile, ServiceSchema } from './service-schema.js';

/**
 * Functions and triggers of a schema, in statements that may run again (CREATE OR REPLACE): the file is
 * applied when its text has changed. No file may need another one's functions to be created.
 */
export interface SqlFile {
  /** Package and path in it, whatever machine it is on: `mail/search/search.sql`. */
  readonly path: string;
  readonly text: string;
  readonly sha256: string;
}

/** The `.sql` files of a schema, in the order they are applied in: by path. */
export async function readSqlFiles({ sql = [], made = [] }: ServiceSchema): Promise<SqlFile[]> {
  const files = await Promise.all(sql.map(readFolder));
  return [...files.flat(), ...made.map(withChecksum)].toSorted((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

const withChecksum = ({ path, text }: MadeFile): SqlFile => ({
  ...{ path, text },
  sha256: createHash('sha256').update(text).digest('hex'),
});

/** @param folder the `src` of a package, or a folder in it */
async function readFolder(folder: URL): Promise<SqlFile[]> {
  const root = fileURLToPath(folder);
  const names = await readdir(root, { recursive: true });
  return Promise.all(
    names
      .filter((name) => name.endsWith('.sql'))
      .map(async (name) => {
        const text = await readFile(join(root, name), 'utf8');
        return withChecksum({ path: pathInPackage(join(root, name)), text });
      }),
  );
}

function pathInPackage(file: string): string {
  const at = file.lastIndexOf(`${sep}src${sep}`);
  const path = `${basename(file.slice(0, at))}${file.slice(at + `${sep}src`.length)}`;
  return path.replaceAll(sep, '/');
}

/** A statement of a file, and the line that it begins on. */
interface SqlStatement {
  readonly text: string;
  readonly line: number;
}

/** Comments, quoted texts and names, and dollar-quoted bodies, in which a semicolon ends nothing. */
const tokens = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[\s\S]/g;

/** The statements of a file, one by one: only so is the line known of one that fails. */
export function statementsOf(text: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let line = 1;
  let begin = -1;
  let beginLine = 1;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (begin < 0 && !isSpace(token)) {
      begin = index;
      beginLine = line;
    }
    if (token === ';') {
      statements.push({ text: text.slice(begin, index), line: beginLine });
      begin = -1;
    }
    line += token.split('\n').length - 1;
  }
  if (begin >= 0) statements.push({ text: text.slice(begin), line: beginLine });
  return statements;
}

const isSpace = (token: string): boolean =>
  token.trim() === '' || token.startsWith('--') || token.startsWith('/*');

/** @throws Error that names the file and the line of the statement that fails */
export async function applySqlFile(
  query: (text: string) => Promise<unknown>,
  file: SqlFile,
): Promise<void> {
  for (const { text, line } of statementsOf(file.text)) {
    await query(text).catch((error: unknown) => {
      const at = line + lineOf(error, text);
      throw new Error(`${file.path}, line ${at}: ${messageOf(error)}`, { cause: error });
    });
  }
}

/** Lines from a statement's beginning to where PostgreSQL sees its fault, if it says where. */
function lineOf(error: unknown, text: string): number {
  const position = Number(
    typeof error === 'object' && error !== null && 'position' in error ? error.position : 0,
  );
  return [...text].slice(0, Math.max(0, position - 1)).filter((c) => c === '\n').length;
}
