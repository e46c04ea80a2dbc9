import { type Command, Option } from 'commander';
import { PostroomError, type ApprovalRequest } from '@postroom/sdk';
import { UsageError } from './failures.js';
import { fileOf } from './input.js';
import { asMember, bodyOf, jsonBody } from './member.js';
import { idOf, printAnswer } from './output.js';
import { approvalLine, approvalLines } from './render-approval.js';
import { formatOf, stored, type Surroundings } from './run-command.js';

type Options = Readonly<Record<string, unknown>>;

const asOption = () => new Option('--as <address>', 'The member; POSTROOM_EMAIL otherwise.');

/** Adds the command that makes any call of the settings API. */
export function addSettings(program: Command, surroundings: Surroundings): void {
  program
    .command('settings')
    .description('Calls the settings API as a member: `settings GET /mailboxes`. Signs in.')
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE.')
    .argument('<path>', 'Below /settings/api, with its query.')
    .addOption(asOption())
    .option('--data <json>', 'The body.')
    .option('--file <file>', 'A file that is the body, with --type.')
    .option('--type <media type>', 'Of the file.')
    .option('--output <file>', 'Where to store an answer that is a file.')
    .action(async (method: string, path: string, _options, command: Command) => {
      const options: Options = command.optsWithGlobals();
      if (!path.startsWith('/')) throw new UsageError('The path begins with a slash: /mailboxes.');
      const asked = { method: method.toUpperCase(), path, body: await givenBody(options) };
      const answer = await asMember(surroundings.env, options, asked);
      if (!/^application\/json\b/.test(answer.headers.get('Content-Type') ?? ''))
        await stored(answer, options, surroundings);
      else printAnswer(await answer.json(), formatOf(options), surroundings.terminal);
    });
}

async function givenBody({ data, file, type }: Options): Promise<Blob | undefined> {
  if (typeof file === 'string') {
    if (typeof type !== 'string') throw new UsageError('Say the media type of the file: --type.');
    return fileOf(file, type);
  }
  if (typeof data !== 'string') return undefined;
  try {
    return jsonBody(JSON.parse(data));
  } catch (cause) {
    throw new UsageError('--data: expected JSON.', { cause });
  }
}

/** Adds what a member decides with to the commands of approvals. */
export function addApprovals(group: Command, { env, terminal }: Surroundings): void {
  const add = (name: string, about: string, ask: (id: string, options: Options) => Asking) =>
    group
      .command(name)
      .description(`${about} For members: signs in.`)
      .addOption(asOption())
      .action(async (...given: unknown[]) => {
        const typed = given.at(-1) as Command;
        const options: Options = typed.optsWithGlobals();
        const [method, path, body] = ask(encodeURIComponent(typed.args[0] ?? ''), options);
        const asked = { method, path: `/approvals${path}`, body: body && jsonBody(body) };
        const answer = await bodyOf(await asMember(env, options, asked).catch(explained));
        if (formatOf(options) !== 'table') return printAnswer(answer, formatOf(options), terminal);
        for (const line of linesOf(answer, name.startsWith('show'))) terminal.write(`${line}\n`);
      });
  add('list', 'Lists what agents ask for.', (_id, { state }) => [
    'GET',
    `?limit=100&state=${encodeURIComponent(String(state))}`,
  ]).option('--state <state>', 'In which state.', 'pending');
  add('show <id>', 'Shows what would change.', (id) => ['GET', `/${id}`]);
  add('approve <id>', 'Has a write done.', (id, { comment }) => [
    'POST',
    `/${id}/approve`,
    { comment },
  ]).option('--comment <text>', 'Kept with the decision.');
  add('reject <id>', 'Refuses a write.', (id, { comment }) => [
    'POST',
    `/${id}/reject`,
    { comment },
  ]).requiredOption('--comment <text>', 'The agent is told.');
}

type Asking = readonly [method: string, path: string, body?: object];

/** A decision that comes too late says what has become of the write. */
function explained(error: unknown): never {
  const { approval } = (error instanceof PostroomError ? error.body : {}) as {
    approval?: ApprovalRequest;
  };
  if (!approval || !(error instanceof PostroomError)) throw error;
  const { status, code, requestId } = error;
  const message = `Nothing was done: the approval is ${approval.state}.`;
  throw new PostroomError(message, { status, code, requestId });
}

type Answer =
  | { readonly approval: ApprovalRequest }
  | { readonly items: readonly ApprovalRequest[] };

function linesOf(answer: object, isWhole: boolean): readonly string[] {
  const read = answer as Answer;
  if ('items' in read) return read.items.length === 0 ? ['Nothing.'] : read.items.map(approvalLine);
  if (isWhole) return approvalLines(read.approval);
  const { result, receipt } = read.approval;
  return [
    approvalLine(read.approval),
    ...(result ? [`answer ${result.status} ${idOf(result.body)}`.trimEnd()] : []),
    ...(receipt === null ? [] : [`receipt ${receipt}`]),
  ];
}
