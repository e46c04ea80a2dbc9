import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { isPasswordRefused } from './sign-in-urls.js';

/** Settings of a pool, as TypeORM passes them on. */
export interface SignInPoolConfig extends PoolConfig {
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
  /** How often another password had to be taken. */
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
      // Outside of the promise, so that what the callback throws is nobody's rejection.
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
