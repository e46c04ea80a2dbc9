import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { conversations, type Operation } from '@postroom/contracts';
import type { UnitOfWork } from '@postroom/operations';
import type { Database, Statement } from '@postroom/persistence';
import { anAgent } from '@postroom/service-testing';
import type { ServiceCalls } from '../invocation/service-calls.js';
import type { GatewayConfig } from '../../config.js';
import { noPreview } from '../../testing/mail-stand-in.js';
import { ApprovalQueue } from './approval-queue.js';
import { insertApproval, lockFiling } from './approval-rows.js';
import type { Closing } from './closing.js';

const operation: Operation = { ...conversations.comment, deadlineMs: 100 };
const write = {
  ...{ operation, caller: anAgent(), input: {} },
  ...{ idempotencyKey: 'a-good-key', requestId: 'a-request' },
};
const calls = {
  make: () => Promise.resolve({ headers: {}, body: Buffer.from(JSON.stringify(noPreview)) }),
} as unknown as ServiceCalls;
const config = { approvalTtlMs: 1_000 } as GatewayConfig;
const refusal = { code: 'APPROVALS_UNAVAILABLE', status: 503 };

describe('a write whose queue hangs', () => {
  it('is refused when the time of its operation is over', async () => {
    const database = { rows: () => new Promise(() => undefined) } as unknown as Database;
    const queue = new ApprovalQueue({} as UnitOfWork, database, calls, config, {} as Closing);
    await expect(queue.file(write)).rejects.toMatchObject(refusal);
  });

  it('is not filed later', async () => {
    const asked: Statement<object>[] = [];
    const ended = Promise.withResolvers<void>();
    const work = {
      change: async (_origin: object, _claim: null, act: (changing: object) => Promise<object>) => {
        await sleep(300);
        const rows = (statement: Statement<object>): Promise<object[]> => {
          asked.push(statement);
          return Promise.resolve([]);
        };
        return act({ rows, at: new Date() }).finally(() => ended.resolve());
      },
    } as unknown as UnitOfWork;
    const database = { rows: () => Promise.resolve([]) } as unknown as Database;
    const queue = new ApprovalQueue(work, database, calls, config, {} as Closing);
    await expect(queue.file(write)).rejects.toMatchObject(refusal);
    await ended.promise;
    expect(asked).toContain(lockFiling);
    expect(asked).not.toContain(insertApproval);
  });
});
