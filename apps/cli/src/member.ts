import { PostroomError } from '@postroom/sdk';
import { askSecret, baseUrl, type Environment, keep, kept } from './config.js';
import { UsageError } from './failures.js';

type Options = Readonly<Record<string, unknown>>;

/** A request to the settings API. */
interface SettingsRequest {
  readonly method: string;
  /** Below /settings/api. */
  readonly path: string;
  readonly body?: Blob | undefined;
}

/**
 * Calls the settings API, as a member where one is named, whose session is kept; the password is asked for, and never
 * kept.
 * @throws PostroomError when it is refused
 */
export async function asMember(
  env: Environment,
  options: Options,
  asked: SettingsRequest,
): Promise<Response> {
  const origin = new URL(await baseUrl(env, options['url'] as string | undefined)).origin;
  const email = (options['as'] as string | undefined) ?? env['POSTROOM_EMAIL'];
  const name = `${email} ${origin}`;
  const signIn = async (): Promise<string> => {
    if (email === undefined)
      throw new UsageError('Who asks? Say --as ADDRESS, or set POSTROOM_EMAIL.');
    const password =
      env['POSTROOM_PASSWORD'] ?? (await askSecret(`Password of ${email}: `, 'POSTROOM_PASSWORD'));
    const body = jsonBody({ email, password });
    const answer = await send(origin, { method: 'POST', path: '/session', body });
    if (!('member' in (await bodyOf(answer))))
      throw new UsageError('A second factor is asked for: use the console instead.');
    const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    await keep(env, { sessions: { ...(await kept(env)).sessions, [name]: cookie } });
    return cookie;
  };
  const known = email === undefined ? undefined : (await kept(env)).sessions?.[name];
  const cookie = known ?? (email === undefined ? undefined : await signIn());
  const answer = await send(origin, asked, cookie);
  return accepted(answer.status === 401 ? await send(origin, asked, await signIn()) : answer);
}

export const jsonBody = (value: unknown): Blob =>
  new Blob([JSON.stringify(value)], { type: 'application/json' });

/** The JSON of an answer. @throws PostroomError when it is a refusal */
export async function bodyOf(answer: Response): Promise<object> {
  const read = await accepted(answer);
  return (await read.json()) as object;
}

function send(
  origin: string,
  { method, path, body }: SettingsRequest,
  cookie?: string,
): Promise<Response> {
  const headers = { 'Accept-Language': 'en', ...(cookie !== undefined && { Cookie: cookie }) };
  const init = { method, headers, redirect: 'error', ...(body && { body }) } as const;
  return fetch(`${origin}/settings/api${path}`, init).catch((cause: unknown) => {
    const message = `${origin} was not reached.`;
    throw new PostroomError(message, { status: 0, code: 'NETWORK', cause });
  });
}

async function accepted(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  const { status } = answer;
  const body = (await answer.json().catch(() => ({}))) as Record<string, string | undefined>;
  const { error = 'NOT_JSON', message = `Status ${status}.`, requestId = null } = body;
  throw new PostroomError(message, { status, code: error, requestId, body });
}
