import { Inject, Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import { attachmentType } from '@postroom/mime';
import type { Reading } from '@postroom/operations';
import { guardedFetch, OutboundGuard, resolveByDns, TargetRefused } from '@postroom/outbound';
import { MailConfig } from '../config.js';
import { limits } from '../limits.js';

const bytesMax = 5 * 1024 * 1024;
/** From the first name's resolution to the last byte, redirects included. */
const timeoutMs = 8_000;
const redirectsMax = 3;
const types = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const schemes = new Set(['http:', 'https:']);

const headers = {
  accept: [...types].join(', '),
  // Compressed bytes could become many times as many.
  'accept-encoding': 'identity',
  'user-agent': 'Postroom',
};

/** An image as its server gave it. */
export interface RemoteImage {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

/** Fetches images that strangers name, over the guard of outgoing connections. Workspaces share it fairly. */
@Injectable()
export class RemoteImages {
  private readonly places = new Budget(limits.remoteImages);
  private readonly ask: ReturnType<typeof guardedFetch>;

  constructor(@Inject(MailConfig) config: MailConfig) {
    const guard = new OutboundGuard({
      allowed: config.remoteImageAllowedCidrs ?? [],
      ports: [80, 443],
      resolve: resolveByDns(config.outboundDnsServers ?? []),
    });
    this.ask = guardedFetch(guard, { timeoutMs, bytesMax, withoutTls: 'any' });
  }

  /**
   * Fetches an image in its turn.
   * @throws LimitReached when too many wait
   * @throws Problem REMOTE_IMAGE_FORBIDDEN, _TOO_LARGE, _TYPE_UNKNOWN, _UNAVAILABLE
   */
  fetch({ tenantId, deadlineMs }: Reading, address: string): Promise<RemoteImage> {
    const waitMaxMs = deadlineMs - Date.now() - timeoutMs;
    return this.places.runInTurn({ workspace: tenantId }, () => this.read(address), { waitMaxMs });
  }

  private async read(address: string): Promise<RemoteImage> {
    const bytes = await this.bytesAt(address).catch(refuse);
    const mimeType = await attachmentType(bytes, '');
    if (!types.has(mimeType)) throw new Problem('REMOTE_IMAGE_TYPE_UNKNOWN');
    return { bytes, mimeType };
  }

  private async bytesAt(address: string): Promise<Buffer> {
    const signal = AbortSignal.timeout(timeoutMs);
    let url: string | null = addressFrom(address);
    for (let left = redirectsMax; url !== null && left >= 0; left--) {
      const answer: Response = await this.ask(url, { headers, signal });
      if (answer.status === 200) return bytesOf(answer);
      await answer.body?.cancel();
      url = answer.status < 300 || answer.status > 399 ? null : redirectOf(answer, url);
    }
    throw new Problem('REMOTE_IMAGE_UNAVAILABLE');
  }
}

const redirectOf = (answer: Response, base: string): string | null => {
  const location = answer.headers.get('location');
  return location === null ? null : addressFrom(location, base);
};

/** An address as it is asked for: without the name and password that it may hold. */
function addressFrom(text: string, base?: string): string | null {
  const url = URL.parse(text, base);
  if (!url || !schemes.has(url.protocol)) return null;
  url.username = '';
  url.password = '';
  return url.href;
}

async function bytesOf({ body }: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const stream: AsyncIterable<Uint8Array> | null = body;
  for await (const piece of stream ?? []) {
    // A server may compress whatever was asked for: what is unpacked counts.
    size += piece.length;
    if (size > bytesMax) throw new Problem('REMOTE_IMAGE_TOO_LARGE');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function refuse(cause: unknown): never {
  if (cause instanceof Problem) throw cause;
  throw new Problem(codeOf(cause), { cause });
}

function codeOf(error: unknown) {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TargetRefused) return 'REMOTE_IMAGE_FORBIDDEN';
    if (cause.name === 'ResponseExceededMaxSizeError') return 'REMOTE_IMAGE_TOO_LARGE';
  }
  return 'REMOTE_IMAGE_UNAVAILABLE';
}
