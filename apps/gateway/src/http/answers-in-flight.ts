import type { Caller } from '@postroom/access';
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
  private readonly bytes = new Map<string, number>();
  private all = 0;

  /**
   * Counts an answer until what it returns is called.
   *
   * @throws Problem SERVICE_UNAVAILABLE when too much of the caller's, its workspace's or all is unread
   */
  take(caller: Caller, bytes: number): () => void {
    this.requireRoom(caller);
    if (this.all >= ofAllMax) throw new Problem('SERVICE_UNAVAILABLE');
    const { tenantId } = caller;
    const counted = [tenantId, nameOf(caller)];
    for (const key of counted) this.bytes.set(key, this.of(key) + bytes);
    this.all += bytes;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.all -= bytes;
      for (const key of counted) {
        const left = this.of(key) - bytes;
        if (left === 0) this.bytes.delete(key);
        else this.bytes.set(key, left);
      }
    };
  }

  /** @throws Problem SERVICE_UNAVAILABLE when too much of the caller's or its workspace's is unread */
  requireRoom(caller: Caller): void {
    const isFull =
      this.of(nameOf(caller)) >= ofCallerMax || this.of(caller.tenantId) >= ofTenantMax;
    if (isFull) throw new Problem('SERVICE_UNAVAILABLE');
  }

  private of(key: string): number {
    return this.bytes.get(key) ?? 0;
  }
}

const nameOf = (caller: Caller): string => (caller.type === 'key' ? caller.keyId : caller.memberId);
