import { servicePool, statement } from '@postroom/persistence/plain';
import { pieceBytes } from './piece-bytes.js';

const stagePiece = statement<object>('originals.stage', 'SELECT stage_piece($1, $2, $3, $4, $5)');

/** A message that may leave, before anything says that it does. */
export interface Staged {
  readonly tenantId: string;
  readonly message: string;
}

/** Keeps messages piece by piece, with a connection of its own: what a composing thread does. */
export class Stage {
  private readonly pool;

  /** @param url as the role of schema `mail` */
  constructor(url: string) {
    // A connection that is lost fails what is kept just then, and the next one has another.
    this.pool = servicePool({ url, schema: 'mail', max: 1, onTrouble: () => undefined });
  }

  /** @throws what failed; what was kept until then is forgotten after an hour, or by `unstage` */
  async keep({ tenantId, message }: Staged, raw: Uint8Array): Promise<void> {
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
