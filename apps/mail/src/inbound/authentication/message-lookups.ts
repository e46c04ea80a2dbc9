import { Resolver } from 'node:dns/promises';

/** Queries DNS; the signature is mailauth's. */
export type Resolve = (name: string, type: string) => Promise<string[][] | string[]>;

/** The look-ups of one message, which all end when its time is over. */
export interface MessageLookups {
  readonly resolve: Resolve;
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
}

/** SPF alone may ask for ten names, and DMARC for eight a domain. */
const questionsMax = 64;
/** The time limit while no name server answers at all. */
const hurriedMs = 1_000;
/** Error codes that are answers of a name server. */
const answers = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'EFORMERR', 'ENOTIMP']);

/**
 * Asks name servers in the time that a message has. While they are silent, a message has less of it, so
 * that an outage does not hold up all mail. One answer, to whatever question, ends that: a sender whose
 * own server is silent cannot hurry the checks of others.
 */
export class Lookups {
  private readonly resolver = new Resolver({ timeout: 1_500, tries: 2, maxTimeout: 2_500 });
  private answered = 0;
  private areSilent = false;

  constructor(
    servers: readonly string[],
    private readonly timeLimitMs: number,
  ) {
    if (servers.length > 0) this.resolver.setServers(servers);
  }

  /** Starts the time limit of a message. */
  forMessage(): MessageLookups {
    const limitMs = this.areSilent ? Math.min(hurriedMs, this.timeLimitMs) : this.timeLimitMs;
    const signal = AbortSignal.timeout(limitMs);
    const before = this.answered;
    let asked = 0;
    const over = new Promise<never>((_, reject) => {
      const end = (): void => {
        if (asked > 0 && this.answered === before) this.areSilent = true;
        reject(timedOut());
      };
      signal.addEventListener('abort', end, { once: true });
    });
    // Most messages have no question open by then.
    over.catch(() => undefined);
    const resolve: Resolve = (name, type) => {
      if (signal.aborted || ++asked > questionsMax) return Promise.reject(timedOut());
      return Promise.race([this.ask(name, type), over]);
    };
    return { resolve, signal };
  }

  private async ask(name: string, type: string): Promise<string[][] | string[]> {
    try {
      const found = (await this.resolver.resolve(name, type)) as string[][] | string[];
      this.noteAnswer();
      return found;
    } catch (error) {
      if (answers.has(codeOf(error))) this.noteAnswer();
      throw error;
    }
  }

  private noteAnswer(): void {
    this.answered++;
    this.areSilent = false;
  }
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

const timedOut = (): Error => Object.assign(new Error('No answer in time'), { code: 'ETIMEOUT' });
