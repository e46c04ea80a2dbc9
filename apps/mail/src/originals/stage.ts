import { servicePool } from '@postroom/persistence/service-pool';
import { statement } from '@postroom/persistence/statement';
import { pieceBytes } from './piece-bytes.js';

const stagePiece = statement<object>('originals.stage', 'SELECT stage_piece($1, $2, $3, $4, $5)');

/** The key of a staged message: one that is stored before it is decided that it leaves. */
export interface Staged {
  readonly tenantId: string;
  readonly message: string;
}

/** Stores messages piece by piece over a connection of its own, in a composing thread. */
export class Stage {
  private readonly pool;

  /** @param url as the role of schema `mail` */
  constructor(url: string) {
    // A lost connection fails what is stored just then; the next message gets another one.
    this.pool = servicePool({ url, schema: 'mail', max: 1, onTrouble: () => undefined });
  }

  /** @throws what failed; the pieces stored until then are purged after an hour, or by `unstage` */
  async store({ tenantId, message }: Staged, raw: Uint8Array): Promise<void> {
    for (let at = 0; at < raw.length; at += pieceBytes) {
      const isLast = at + pieceBytes >= raw.length;
      const piece = raw.subarray(at, at + pieceBytes);
      await this.pool.query({ ...stagePiece, values: [tenantId, message, at, isLast, piece] });
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
