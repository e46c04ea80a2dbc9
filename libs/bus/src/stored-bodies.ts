import { type BusLog, BusUnavailable, UnverifiedRecord } from './bus.js';
import { beforeDeadline } from './deadline.js';
import type { RequestEnvelope } from './envelope.js';

/** The store of large bodies while their envelopes are on their way; `get` answers null for one that is not there. */
export interface BodyStore {
  put(tenantId: string, bytes: Uint8Array): Promise<string>;
  get(tenantId: string, reference: string): Promise<Buffer | null>;
  drop(tenantId: string, reference: string): Promise<void>;
}

/** The large bodies of calls in that store, until the deadline of each. */
export class StoredBodies {
  constructor(
    private readonly blobs: BodyStore,
    private readonly log: BusLog,
  ) {}

  async get(request: RequestEnvelope, reference: string): Promise<Buffer> {
    const getting = this.blobs.get(tenantOf(request), reference).catch(storeFailed);
    const body = await beforeDeadline(getting, request.deadlineMs);
    if (!body) throw new BusUnavailable('no-body');
    return body;
  }

  put(request: RequestEnvelope, bytes: Buffer): Promise<string> {
    const putting = this.blobs.put(tenantOf(request), bytes).catch(storeFailed);
    return beforeDeadline(putting, request.deadlineMs);
  }

  /** Not awaited: the store deletes what is left after an hour. */
  drop(request: RequestEnvelope, reference: string): void {
    this.blobs.drop(tenantOf(request), reference).catch((err: unknown) => {
      this.log.warn({ err }, 'bus: a large body was not dropped');
    });
  }
}

const storeFailed = (cause: unknown): never => {
  throw new BusUnavailable('no-body', { cause });
};

/** Read before the signature is verified: a forged tenant gives access to nothing whose reference its sender does not know. */
export function tenantOf({ caller }: RequestEnvelope): string {
  try {
    return (JSON.parse(caller) as { readonly tenantId: string }).tenantId;
  } catch (cause) {
    throw new UnverifiedRecord('a Caller that is no JSON', { cause });
  }
}
