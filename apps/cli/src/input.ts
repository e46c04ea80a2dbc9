import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { UsageError } from './failures.js';
import type { TableCommand, TableOption } from './table-command.js';

type Given = Readonly<Record<string, unknown>>;

/** The input of an operation, of the arguments and options of its command. */
export async function inputOf(
  { places, options }: TableCommand,
  args: readonly string[],
  given: Given,
): Promise<Given> {
  const named = places.map(({ name }, at): [string, unknown] => [name, args[at]]);
  const entries = await Promise.all(
    options.map(async (option): Promise<[string, unknown]> => [
      option.name,
      await valueOf(option, given),
    ]),
  );
  return Object.fromEntries([...named, ...entries].filter(([, value]) => value !== undefined));
}

async function valueOf(option: TableOption, given: Given): Promise<unknown> {
  const file = option.name === 'body' ? given['bodyFile'] : undefined;
  if (typeof file === 'string') return file === '-' ? text(process.stdin) : readText(file);
  const value = option.kind === 'files' ? given['attach'] : given[option.name];
  if (value === undefined || typeof value === 'boolean') return value;
  if (value === 'null' && option.isNullable) return null;
  return parsers[option.kind](value as string & readonly string[], option.name);
}

const parsers: Readonly<
  Record<TableOption['kind'], (value: string & readonly string[], name: string) => unknown>
> = {
  text: (value) => value,
  flag: (value) => value,
  list: (value) => value,
  number: numberOf,
  json: jsonOf,
  files: (value) =>
    Promise.all(
      value.map(async (path) => ({
        content: await fileOf(path),
        filename: basename(path),
      })),
    ),
};

/** A number, or a time, of which it is the milliseconds. */
function numberOf(value: string, name: string): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number)) return number;
  const time = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`--${name}: ${value} is neither a number nor a time.`);
  return time;
}

function jsonOf(value: string, name: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new UsageError(`--${name}: expected JSON, as in the example of --help.`);
  }
}

/** A file that is read as it is sent. @throws UsageError */
export async function fileOf(path: string, type?: string): Promise<Blob> {
  // It throws at once where there is none.
  const opening = async (): Promise<Blob> => openAsBlob(path, type === undefined ? {} : { type });
  return opening().catch(notThere(path));
}

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(notThere(path));

const notThere =
  (path: string) =>
  (cause: unknown): never => {
    throw new UsageError(`${path} cannot be read.`, { cause });
  };
