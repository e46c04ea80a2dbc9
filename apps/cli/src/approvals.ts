import type { Command } from 'commander';
import { askSecret, baseUrl, type Environment, keep, kept } from './config.js';
import { UsageError } from './failures.js';
import { printAnswer } from './output.js';
import { formatOf, type Surroundings } from './run-command.js';

type Options = Readonly<Record<string, unknown>>;

/** Refused by the settings API. */
class SettingsRefusal extends Error {}

/** Calls the settings API as a member, whose session is kept; the password is asked for, and never kept. */
async function asMember(
  env: Environment,
  options: Options,
  method: string,
  path: string,
  body?: object,
) {
  const origin = new URL(await baseUrl(env, options['url'] as string | undefined)).origin;
  const email = (options['as'] as string | undefined) ?? env['POSTROOM_EMAIL'];
  if (email === undefined)
    throw new UsageError('Who decides? Say --as ADDRESS, or set POSTROOM_EMAIL.');
  const name = `${email} ${origin}`;
  const send = (
    cookie: string | undefined,
    of: string,
    on: string,
    sent?: object,
  ): Promise<Response> =>
    fetch(`${origin}/settings/api${on}`, {
      method: of,
      redirect: 'error',
      headers: {
        'Accept-Language': 'en',
        ...(sent && { 'Content-Type': 'application/json' }),
        ...(cookie !== undefined && { Cookie: cookie }),
      },
      ...(sent && { body: JSON.stringify(sent) }),
    });
  const signIn = async (): Promise<string> => {
    const password = env['POSTROOM_PASSWORD'] ?? (await askSecret(`Password of ${email}: `));
    const answer = await send(undefined, 'POST', '/session', { email, password });
    const signedIn = await read(answer);
    if (!('member' in signedIn))
      throw new UsageError('A second factor is asked for: decide in the console instead.');
    const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    await keep(env, { sessions: { ...(await kept(env)).sessions, [name]: cookie } });
    return cookie;
  };
  const known = (await kept(env)).sessions?.[name];
  const first = await send(known ?? (await signIn()), method, path, body);
  return read(first.status === 401 ? await send(await signIn(), method, path, body) : first);
}

async function read(answer: Response): Promise<object> {
  const body = (await answer.json().catch(() => ({}))) as { error?: string; message?: string };
  if (answer.ok) return body;
  throw new SettingsRefusal(body.message ?? body.error ?? `Status ${answer.status}.`);
}

/** Adds what a member decides with to the commands of approvals. */
export function addApprovalCommands(group: Command, surroundings: Surroundings): void {
  const { env, terminal } = surroundings;
  const add = (
    name: string,
    about: string,
    of: (id: string, options: Options) => readonly [string, string, object?],
  ): Command =>
    group
      .command(name)
      .description(`${about} For members: signs in.`)
      .option('--as <address>', 'The member; POSTROOM_EMAIL otherwise.')
      .action(async (...given: unknown[]) => {
        const typed = given.at(-1) as Command;
        const options: Options = typed.optsWithGlobals();
        const [method, path, body] = of(encodeURIComponent(typed.args[0] ?? ''), options);
        printAnswer(await asMember(env, options, method, path, body), formatOf(options), terminal);
      });
  add('list', 'Lists what agents ask for.', (_id, { state }) => [
    'GET',
    `/approvals?limit=100&state=${String(state)}`,
  ]).option('--state <state>', 'In which state.', 'pending');
  add('show <id>', 'Shows what would change.', (id) => ['GET', `/approvals/${id}`]);
  add('approve <id>', 'Has a write done.', (id, { comment }) => [
    'POST',
    `/approvals/${id}/approve`,
    { comment },
  ]).option('--comment <text>', 'Kept with the decision.');
  add('reject <id>', 'Refuses a write.', (id, { comment }) => [
    'POST',
    `/approvals/${id}/reject`,
    { comment },
  ]).requiredOption('--comment <text>', 'The agent is told.');
}
