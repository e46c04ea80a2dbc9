import {
  Client,
  type ClientConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  type PoolConfig,
} from 'pg';

/** The passwords of a list such as `old,new`; the first one is set by `provision`. */
export const passwordsOf = (list: string): readonly string[] => list.split(',');

/**
 * The URLs of a URL with several passwords, one for each: `postgres://role:old,new@host/name`. While the
 * password of a role is changed a service has both, and signs in with the one that the server takes. A comma of
 * a password itself is written `%2C` before the host; a parameter `password` can have none.
 */
export function signInUrls(url: string): readonly string[] {
  const parsed = URL.parse(url);
  const inQuery = parsed?.searchParams.get('password') ?? null;
  const passwords = passwordsOf(inQuery ?? parsed?.password ?? '');
  if (passwords.length === 1) return [url];
  return passwords.map((password) => {
    const one = new URL(url);
    if (inQuery === null) one.password = password;
    else one.searchParams.set('password', password);
    return one.href;
  });
}

/** True if PostgreSQL has refused a password. */
const isPasswordRefused = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '28P01';

/** Settings of a pool, as TypeORM passes them on. */
interface SignInPoolConfig extends PoolConfig {
  /** The first is tried first; see `signInUrls`. */
  readonly urls: readonly string[];
}

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (error?: boolean | Error) => void,
) => void;

/**
 * A pool whose connections sign in with one of several passwords: if one is refused, the next one is tried at
 * once, and kept for the connections after it. When all are refused, the caller is told so.
 */
export class SignInPool extends Pool {
  readonly #urls: readonly string[];
  /** The number of times that another password had to be taken. */
  #turns = 0;

  constructor({ urls, ...config }: SignInPoolConfig) {
    super({ ...config, connectionString: urls[0] });
    this.#urls = urls;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (this.#urls.length === 1) return callback ? super.connect(callback) : super.connect();
    const connecting = this.#connectWithAny();
    if (!callback) return connecting;
    connecting.then(
      // Outside of the promise, so that what the callback throws does not reject it.
      (client) =>
        setImmediate(callback, undefined, client, (error?: boolean | Error) => {
          client.release(error);
        }),
      (error: unknown) => setImmediate(callback, error as Error, undefined, () => undefined),
    );
  }

  async #connectWithAny(): Promise<PoolClient> {
    for (let refusals = 1; ; refusals++) {
      const turns = this.#turns;
      try {
        return await super.connect();
      } catch (error) {
        // One more than there are passwords, since another caller may have taken the next one meanwhile.
        if (!isPasswordRefused(error) || refusals > this.#urls.length) throw error;
        if (turns === this.#turns) this.#takeNext();
      }
    }
  }

  #takeNext(): void {
    this.#turns += 1;
    const url = this.#urls[this.#turns % this.#urls.length];
    // Read for each new connection.
    Object.assign(this.options, { connectionString: url });
  }
}

/**
 * Connects a client of its own, with whichever password of the URL the server takes.
 * @throws what the last attempt has failed with
 */
export async function connectClient(url: string, config: ClientConfig = {}): Promise<Client> {
  let refusal: unknown;
  for (const connectionString of signInUrls(url)) {
    const client = new Client({ connectionTimeoutMillis: 5_000, ...config, connectionString });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isPasswordRefused(error)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}
