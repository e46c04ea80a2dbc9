import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import { systemActor } from '@postroom/contracts';
import { UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { tellMembers, type Notice } from '../stream-log.js';

// Each gateway writes once a minute; one of them is enough.
const touchKey = statement<{ id: string }>(
  'access.touch_key',
  `UPDATE keys SET last_used_at = $3 WHERE tenant_id = $1 AND id = $2
     AND (last_used_at IS NULL OR last_used_at < $3::timestamptz - interval '50 seconds')
   RETURNING id`,
);
const touchSession = statement<object>(
  'access.touch_session',
  'UPDATE sessions SET seen_at = $3 WHERE tenant_id = $1 AND id = $2',
);

const everyMs = 60_000;

/** Records when a key or session was last used, at most once a minute and after the answer; administrators see keys in use. */
@Injectable()
export class LastUse {
  private readonly written = new Map<string, number>();

  constructor(private readonly work: UnitOfWork) {}

  async record(caller: Caller): Promise<void> {
    const id = caller.type === 'key' ? caller.keyId : caller.sessionId;
    const now = performance.now();
    if (id === null || now - (this.written.get(id) ?? -everyMs) < everyMs) return;
    if (this.written.size > 10_000) this.written.clear();
    this.written.set(id, now);
    const origin = { tenantId: caller.tenantId, actor: systemActor } as const;
    await this.work.change({ ...origin, source: caller.source }, null, async (changing) => {
      const { rows, at } = changing;
      if (caller.type === 'member') await rows(touchSession, [id, at]);
      else if ((await rows(touchKey, [id, at])).length > 0) tellMembers(changing, keyUsed(id));
      return { value: undefined };
    });
  }
}

const keyUsed = (id: string): Notice => ({
  type: 'key.used',
  within: { type: 'role', id: 'admin' },
  data: { resource: { type: 'key', id }, by: 'key.used', version: null },
});
