import type { Caller } from '@postroom/access';
import { Shares } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';

const mebi = 1024 * 1024;

/** Bytes of answers that their clients have not read yet. */
const ofCallerMax = 32 * mebi;
const ofTenantMax = 64 * mebi;
const ofAllMax = 128 * mebi;

/**
 * Bounds the memory of answers that nobody reads, of each caller, of each workspace and of the process. Who has
 * reached its share is refused more; where that of the process is reached, only long answers are.
 */
export class AnswersInFlight {
  private readonly bytes = new Shares();

  /**
   * Counts an answer until what it returns is called.
   *
   * @throws Problem SERVICE_UNAVAILABLE when too much of the caller's, its workspace's or all is unread
   */
  take(caller: Caller, bytes: number): () => void {
    this.requireRoom(caller);
    if (this.bytes.all >= ofAllMax) throw new Problem('SERVICE_UNAVAILABLE');
    return this.bytes.take([caller.tenantId, nameOf(caller)], bytes);
  }

  /** @throws Problem SERVICE_UNAVAILABLE when too much of the caller's or its workspace's is unread */
  requireRoom(caller: Caller): void {
    const isFull =
      this.bytes.of(nameOf(caller)) >= ofCallerMax || this.bytes.of(caller.tenantId) >= ofTenantMax;
    if (isFull) throw new Problem('SERVICE_UNAVAILABLE');
  }
}

const nameOf = (caller: Caller): string => (caller.type === 'key' ? caller.keyId : caller.memberId);
