import { Injectable } from '@nestjs/common';
import type { MemberCaller } from '@postroom/access';
import type { Container } from '@postroom/operations';
import { Database, statement } from '@postroom/persistence';
import { Visibility } from '../approvals/index.js';

/** An event as it is read. */
export interface StreamEvent {
  readonly position: number;
  readonly type: string;
  readonly withinType: Container['type'] | null;
  readonly withinId: string | null;
  /** JSON. */
  readonly data: string;
}

/** Events of one look into the log. */
const batchMax = 100;

const after = statement<StreamEvent>(
  'access.stream_after',
  `SELECT position::float8 AS position, type, within_type AS "withinType",
     within_id AS "withinId", data FROM stream_after($1, $2, $3)`,
);
const place = statement<{ lastPosition: number; isKnown: boolean }>(
  'access.stream_place',
  'SELECT last_position AS "lastPosition", is_known AS "isKnown" FROM stream_place($1, $2)',
);

/** Reads what a member may be told. */
@Injectable()
export class StreamReader {
  constructor(
    private readonly database: Database,
    private readonly visibility: Visibility,
  ) {}

  /**
   * Where a stream begins: after the event that the client has seen last, or now.
   * @returns `isGap`: what came after that event is not kept any more
   */
  async begin({ tenantId }: MemberCaller, lastEventId: string | null) {
    const asked = lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
    const [found] = await this.database.rows(place, [tenantId, asked], tenantId);
    const { lastPosition = 0, isKnown = false } = found ?? {};
    if (isKnown) return { position: asked, isGap: false };
    return { position: lastPosition, isGap: lastEventId !== null };
  }

  /** What comes next: what was looked at, and what of it the member may see. */
  async next(caller: MemberCaller, position: number) {
    const { tenantId } = caller;
    const found = await this.database.rows(after, [tenantId, position, batchMax], tenantId);
    const approvals = found.filter(({ type }) => type.startsWith('approval.'));
    const others = found.filter((event) => !approvals.includes(event));
    const context = { caller, requestId: 'stream' };
    // Administrators read every approval, but only the mail that is shared with them.
    const seen = [
      ...(await this.visibility.visible(context, approvals)),
      ...(await this.visibility.shownByOwners(context, others)),
    ];
    return {
      position: found.at(-1)?.position ?? position,
      isFull: found.length === batchMax,
      events: seen.sort((one, other) => one.position - other.position),
    };
  }
}
