import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { readJson, writeSecretFile } from '../../installation.js';
import { SetupError } from '@postroom/service/setup-error';

/** The member who asks, and the deployment. */
interface Asking {
  /** As a browser reaches the deployment, without a path. */
  readonly url: string;
  readonly email: string;
  readonly env: NodeJS.ProcessEnv;
}

type Sessions = Readonly<Record<string, string>>;

/** The settings API refused a request. */
class SettingsRefusal extends Error {
  constructor(
    readonly status: number,
    readonly body: { readonly error?: string; readonly message?: string },
  ) {
    super(`${body.error ?? status}: ${body.message ?? 'no answer that can be understood'}`);
  }
}

/**
 * The settings API as a signed-in member. The session is kept in a file that its owner alone can read
 * (`POSTROOM_SESSION_FILE`); the password is asked for, or taken from `POSTROOM_PASSWORD`, and never kept.
 */
export class MemberSession {
  private cookie: string | undefined;

  constructor(private readonly member: Asking) {}

  /** @throws SettingsRefusal */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    return read(await this.answer(method, path, body));
  }

  /** An answer of any length, unread. @throws SettingsRefusal */
  async open(path: string): Promise<Response> {
    const answer = await this.answer('GET', path);
    return answer.ok ? answer : read(answer);
  }

  private async answer(method: string, path: string, body?: object): Promise<Response> {
    this.cookie ??= (await this.sessions())[this.name];
    if (this.cookie === undefined) await this.signIn();
    const answer = await this.send(method, path, body);
    if (answer.status !== 401) return answer;
    await this.signIn();
    return this.send(method, path, body);
  }

  private async signIn(): Promise<void> {
    const { email, env } = this.member;
    const password = env['POSTROOM_PASSWORD'] ?? (await askPassword(email));
    this.cookie = undefined;
    const answer = await this.send('POST', '/session', { email, password });
    await read(answer.clone());
    this.cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    await writeSecretFile(this.file, { ...(await this.sessions()), [this.name]: this.cookie });
  }

  private send(method: string, path: string, body?: object): Promise<Response> {
    const { url } = this.member;
    const sent = fetch(`${url}/settings/api${path}`, {
      method,
      redirect: 'error',
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(this.cookie !== undefined && { cookie: this.cookie }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return sent.catch((error: unknown) => {
      throw unreachable(url, error);
    });
  }

  private get name(): string {
    return `${this.member.email} ${this.member.url}`;
  }

  private get file(): string {
    const { POSTROOM_SESSION_FILE: file } = this.member.env;
    return file ?? join(homedir(), '.postroom-sessions.json');
  }

  private async sessions(): Promise<Sessions> {
    return (await readJson<Sessions>(this.file)) ?? {};
  }
}

async function read<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  const body = JSON.parse(text === '' ? '{}' : text) as T & SettingsRefusal['body'];
  if (!answer.ok) throw new SettingsRefusal(answer.status, body);
  return body;
}

/** Asks at the terminal, without showing what is typed. */
async function askPassword(email: string): Promise<string> {
  process.stderr.write(`Password of ${email}: `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

/** The error that `fetch` throws where no answer came. */
interface FetchFailure {
  readonly message?: string;
  readonly cause?: { readonly code?: string; readonly message?: string };
}

/** The error for an address at which nothing answered; any other error as it is. */
function unreachable(url: string, error: unknown): unknown {
  const { message, cause } = Object(error) as FetchFailure;
  if (message !== 'fetch failed' || cause === undefined) return error;
  const reason = cause.code ?? cause.message ?? 'no reason given';
  const { origin } = new URL(url);
  return new SetupError(`${origin} cannot be reached (${reason}). Is Postroom running there?`, {
    cause: error,
  });
}
