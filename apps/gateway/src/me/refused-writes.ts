import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import { newId, systemActor, type Operation, type Problem } from '@postroom/contracts';
import { UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const insert = statement<object>(
  'access.insert_refused_write',
  `INSERT INTO refused_writes (tenant_id, key_id, id, at, operation, status, code, request_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** What is known of a request that was answered. */
export interface Answered {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly problem: Problem;
  readonly requestId: string;
}

/** Keeps the refused writes of keys, for `/v1/me/refusals`: after the answer, and never instead of it. */
@Injectable()
export class RefusedWrites {
  constructor(private readonly work: UnitOfWork) {}

  async note({ operation, caller, problem, requestId }: Answered): Promise<void> {
    const { code, status } = problem;
    // The rate limit is no rule of the key's, and whoever runs into it would fill the table.
    const isRefusal = status < 500 && code !== 'RATE_LIMITED' && operation.effect !== 'read';
    if (caller.type !== 'key' || !isRefusal) return;
    const { tenantId, keyId, source } = caller;
    const origin = { tenantId, actor: systemActor, source } as const;
    await this.work.run(origin, null, async ({ rows, at }) => {
      await rows(insert, [keyId, newId('ref'), at, operation.id, status, code, requestId]);
      return { value: undefined };
    });
  }
}
