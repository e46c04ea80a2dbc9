import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { buffer } from 'node:stream/consumers';
import { createClient, PostroomError, responseOf } from '@postroom/sdk';
import { apiKey, baseUrl, type Environment } from './config.js';
import { exitCodes, UsageError } from './failures.js';
import { inputOf } from './input.js';
import { type Format, printAnswer, printRows, type Terminal, visible } from './output.js';
import type { TableCommand } from './table-command.js';

export interface Surroundings {
  readonly env: Environment;
  readonly terminal: Terminal;
  /** Says something beside the answer. */
  readonly note: (line: string) => void;
  /** True where a person can be asked. */
  readonly isInteractive: boolean;
  /** Ends a command that runs until then. */
  readonly signal: AbortSignal;
}

type Options = Readonly<Record<string, unknown>>;
type Input = Readonly<Record<string, unknown>>;
type Method = (input: Input, options: object) => Promise<unknown>;

/** The client with the key that is at hand. Whether it is an agent's shows in the answers. */
export async function clientOf(env: Environment, options: Options) {
  const url = await baseUrl(env, options['url'] as string | undefined);
  return createClient<true>({
    baseUrl: url,
    apiKey: await apiKey(env),
    agent: true,
    userAgent: 'postroom-cli',
    language: options['lang'] === 'fr' ? 'fr' : 'en',
  });
}

export const formatOf = (options: Options): Format =>
  (['json', 'jsonl', 'quiet'] as const).find((one) => options[one] === true) ?? 'table';

/** Calls the operation of a command and prints its answer. @returns what the program ends with */
export async function runTableCommand(
  command: TableCommand,
  args: readonly string[],
  options: Options,
  surroundings: Surroundings,
): Promise<number> {
  const { env, terminal, note } = surroundings;
  const client = (await clientOf(env, options)) as unknown as Record<
    string,
    Record<string, unknown>
  >;
  const input = await inputOf(command, args, options);
  const family = client[command.family] ?? {};
  if (command.isPaged) return listed(family, command, input, options, terminal);
  if (command.effect === 'send') await assertWanted(input, options, surroundings);
  const idempotencyKey =
    command.effect && ((options['idempotencyKey'] as string | undefined) ?? crypto.randomUUID());
  if (idempotencyKey !== undefined) note(`Idempotency-Key: ${idempotencyKey}`);
  const call = (given: Input) =>
    (family[command.name] as Method)(given, {
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
  const answer = await confirmed(call, input, options, note);
  sayIfRepeated(answer, options, note);
  if (command.isFile) return stored(answer as Response, options, surroundings);
  return printed(answer, command, options, surroundings);
}

/** Says so if the answer to a write is that of an earlier request under its key. */
function sayIfRepeated(answer: unknown, options: Options, note: Surroundings['note']): void {
  const { answer: written = answer } = answer as { answer?: unknown };
  const facts = responseOf(written as object);
  if (!facts?.isReplay) return;
  const isOwn = facts.attempts > 1 && options['idempotencyKey'] === undefined;
  note(
    isOwn
      ? 'It was done once: the first answer was lost, and this command has asked for it again.'
      : 'Nothing was done again: the key was used before, and this is its answer.',
  );
}

async function listed(
  family: Record<string, unknown>,
  { name }: TableCommand,
  input: Input,
  options: Options,
  terminal: Terminal,
): Promise<number> {
  const limit = Number(options['limit']);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit is a number from 1.');
  const iterate =
    name === 'list' ? 'iterate' : `iterate${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const walk = family[iterate] as (input: Input) => AsyncIterable<Record<string, unknown>>;
  const rows: Record<string, unknown>[] = [];
  const isStreamed = formatOf(options) === 'jsonl';
  let count = 0;
  for await (const row of walk({ ...input, limit: Math.min(limit, 100) })) {
    if (isStreamed) printRows([row], 'jsonl', terminal);
    else rows.push(row);
    count += 1;
    if (count === limit) break;
  }
  if (!isStreamed) printRows(rows, formatOf(options), terminal);
  return exitCodes.done;
}

/** Mail that has left cannot be called back: a person is asked, a script says that it means it. */
async function assertWanted(
  input: Input,
  options: Options,
  { isInteractive, note }: Surroundings,
): Promise<void> {
  if (options['yes'] === true) return;
  if (!isInteractive) throw new UsageError('It would leave at once: say --yes.');
  note(visible(`To ${JSON.stringify(input['to'])}: ${String(input['subject'])}`));
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const said = await lines.question('Send it? [y/N] ');
  lines.close();
  if (!/^y(es)?$/i.test(said.trim())) throw new UsageError('Nothing was sent.');
}

/** Sends again with the token of a warning, where the caller has said so. */
async function confirmed(
  call: (input: Input) => Promise<unknown>,
  input: Input,
  options: Options,
  note: (line: string) => void,
): Promise<unknown> {
  try {
    return await call(input);
  } catch (error) {
    const token = error instanceof PostroomError ? error.body['dlpWarningToken'] : undefined;
    if (token === undefined) throw error;
    note('Data-loss prevention warns about this message.');
    if (options['confirm'] === true) return call({ ...input, dlpWarningToken: token });
    note('Nothing was sent. Say --confirm to send it all the same.');
    throw error;
  }
}

/** Writes a file where it was asked for. @returns what the program ends with */
export async function stored(
  response: Response,
  options: Options,
  { terminal }: Surroundings,
): Promise<number> {
  const bytes = await buffer(response.body as unknown as AsyncIterable<Uint8Array>);
  const file = options['output'] as string | undefined;
  if (file !== undefined) await writeFile(file, bytes);
  else if (terminal.columns !== undefined)
    throw new UsageError(
      'A file is not for a terminal: say --output FILE, or send it into a pipe.',
    );
  else process.stdout.write(bytes);
  return exitCodes.done;
}

function printed(
  answer: unknown,
  command: TableCommand,
  options: Options,
  { terminal, note }: Surroundings,
): number {
  const format = formatOf(options);
  const written = answer as { approvalRequired?: boolean; approval?: object; answer?: unknown };
  if (command.effect !== 'write' || written.approvalRequired === undefined) {
    printAnswer(answer, format, terminal);
    return exitCodes.done;
  }
  if (!written.approvalRequired) {
    printAnswer(written.answer, format, terminal);
    return exitCodes.done;
  }
  printAnswer(written.approval, format, terminal);
  note(
    'It waits for a person. The same command with the same --idempotency-key says what has become of it.',
  );
  return exitCodes.waiting;
}
