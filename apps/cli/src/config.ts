import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './failures.js';

/** The content of the file, which its owner alone can read. */
export interface Kept {
  readonly url?: string;
  readonly apiKey?: string;
  /** The secret that `listen` signs with. */
  readonly webhookSecret?: string;
  /** Sessions of members, by address and deployment. */
  readonly sessions?: Readonly<Record<string, string>>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export const environment = (): Environment => process.env;

/** The address of the demo. */
const usualUrl = 'http://127.0.0.1:3000/public';

const fileOf = (env: Environment): string =>
  env['POSTROOM_CONFIG'] ??
  join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'postroom', 'config.json');

/** @throws UsageError for a file that others can read */
export async function kept(env: Environment): Promise<Kept> {
  const file = fileOf(env);
  const facts = await stat(file).catch(() => undefined);
  if (!facts) return {};
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0)
    throw new UsageError(`Others can read ${file}, which holds a key: chmod 600 it first.`);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Kept;
  } catch (cause) {
    throw new UsageError(`${file} is no JSON. Mend or remove it.`, { cause });
  }
}

/** Keeps something beside what is there. */
export async function keep(env: Environment, more: Kept): Promise<string> {
  const file = fileOf(env);
  const all = { ...(await kept(env)), ...more };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return file;
}

/** True of an http address on loopback. */
export const isOfThisMachine = (url: string): boolean =>
  /^https?:/.test(url) &&
  URL.canParse(url) &&
  /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

/** The address of the public API: that of the command, of the environment, of the file, or the demo's. */
export async function baseUrl(env: Environment, given?: string): Promise<string> {
  const url = given ?? env['POSTROOM_URL'] ?? (await kept(env)).url ?? usualUrl;
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError(`${url} is no http address.`);
  const { protocol, origin, pathname } = new URL(url);
  if (protocol === 'http:' && !isOfThisMachine(url))
    throw new UsageError(`A key would travel in clear to ${origin}: give an https address.`);
  return `${origin}${pathname.replace(/\/$/, '') || '/public'}`;
}

/** The key: of the environment, or of the file. @throws UsageError where there is none */
export async function apiKey(env: Environment): Promise<string> {
  const key = env['POSTROOM_API_KEY'] ?? (await kept(env)).apiKey;
  if (key === undefined || key === '')
    throw new UsageError('There is no key: run `postroom login`, or set POSTROOM_API_KEY.');
  return key;
}

/**
 * Asks at the terminal, without showing what is typed; without a terminal it reads a line.
 * @throws UsageError where there is nothing to read, with the variable to set instead
 */
export async function askSecret(question: string, variable: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const isTerminal = process.stdin.isTTY;
  const line = createInterface({ input: process.stdin, output: nowhere, terminal: isTerminal });
  try {
    const ended = once(line, 'close').then(() => {
      throw new UsageError(`Nothing was typed. Set ${variable} instead.`);
    });
    return (await Promise.race([line.question(''), ended])).trim();
  } finally {
    line.close();
    process.stderr.write('\n');
  }
}
