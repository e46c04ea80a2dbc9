import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Problem, signatureHeaders, type CallbackFault } from '@postroom/contracts';
import { Budget, SlidingWindow } from '@postroom/limits';
import { limits, rates } from './limits.js';
import { Poster, userAgent, type AttemptResult } from './poster.js';

/** The address of a message that is no event, and the secret of its receiver. */
export interface Callback {
  readonly subscriptionId: string;
  readonly url: string;
  readonly secret: string;
}

/** Names what went wrong, and nothing of the answer: a URL is a stranger's. */
function faultOf({ error, status }: AttemptResult): CallbackFault | null {
  if (error === null) return null;
  if (error === 'timed_out') return 'timeout';
  if (error === 'tls_failed') return 'tls_error';
  if (error !== 'status' || status === null) return 'connection_refused';
  return status >= 500 ? 'http_5xx' : 'http_4xx';
}

function isEcho(answer: string | null, challenge: string): boolean {
  try {
    const { challenge: echoed } = JSON.parse(answer ?? '') as { challenge?: unknown };
    const [given, sent] = [Buffer.from(String(echoed)), Buffer.from(challenge)];
    return given.length === sent.length && timingSafeEqual(given, sent);
  } catch {
    return false;
  }
}

/** Asks a URL, by a challenge, whether it wants the events of a key before any is posted to it; a key asks for few. */
@Injectable()
export class Callbacks {
  private readonly places = new Budget(limits.challenges);
  private readonly asked = new SlidingWindow(rates.eventSubscriptions);

  constructor(private readonly poster: Poster) {}

  /** Counts a key's subscription, or its refresh. @throws Problem RATE_LIMITED */
  count(tenantId: string, keyId: string): void {
    const { allowed, resetSeconds } = this.asked.take(`${tenantId}/${keyId}`);
    if (!allowed)
      throw new Problem('RATE_LIMITED', { headers: { 'retry-after': String(resetSeconds) } });
  }

  /** @throws Problem CALLBACK_FAILED; LimitReached */
  async verify(tenantId: string, callback: Callback): Promise<void> {
    const challenge = randomBytes(24).toString('base64url');
    const result = await this.places.runInTurn({ workspace: tenantId }, () =>
      this.post(callback, 'verification', { challenge }),
    );
    const reason =
      faultOf(result) ?? (isEcho(result.excerpt, challenge) ? null : 'challenge_failed');
    if (reason !== null) throw new Problem('CALLBACK_FAILED', { fields: { reason } });
  }

  /** Says that a subscription has ended; whether it arrives does not matter. */
  async terminated(callback: Callback, error: object): Promise<void> {
    await this.post(callback, 'terminated', { error });
  }

  private post(
    { subscriptionId, url, secret }: Callback,
    type: string,
    fields: object,
  ): Promise<AttemptResult> {
    const body = Buffer.from(JSON.stringify({ type, ...fields }));
    const id = `msg_${type}_${randomBytes(12).toString('hex')}`;
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'x-mcp-subscription-id': subscriptionId,
      ...signatureHeaders({ id, timestamp, body }, [secret]),
    };
    return this.poster.post({ url, headers, body, isCompared: true });
  }
}
