// tags: own
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repetitions } from '@postroom/testing/repetitions';
import { until } from '@postroom/testing/until';
import { topology } from './config.js';
import type { RunningProduct } from './product.js';
import { ownBroker, startProduct } from './product-process.js';
import { recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

// A cluster of twelve processes takes half a minute for each start.
const runs = repetitions(topology() === 'process' ? 50 : 10, 2);
const completions = 50;
const dayMs = 86_400_000;

interface Task {
  readonly id: string;
  readonly status: string;
  readonly dueMs: number;
  readonly previousTaskId: string | null;
  readonly nextTaskId: string | null;
}

interface FeedEvent {
  readonly type: string;
  readonly data: { readonly id: string; readonly previousTaskId: string | null };
}

describe('SIGKILL during fifty completions of a task that repeats', () => {
  let running: RunningProduct;
  let api: OwnKey;

  beforeAll(async () => {
    running = await startProduct(ownBroker);
    const place = await Workplace.open('acme', running.product);
    const member = place.tenant.member.email;
    api = await place.key({ scopes: ['read:tasks', 'write:tasks', 'read:conversations'], member });
  });

  afterAll(() => running.remove());

  const complete = (id: string) =>
    api.request('PATCH', `/v1/tasks/${id}`, JSON.stringify({ status: 'done' }));

  /** The events about a task and its next one. */
  async function toldOf({ id, nextTaskId }: Task): Promise<string[]> {
    const types = 'task.created,task.completed';
    const told: string[] = [];
    for (let after: string | null = null; ;) {
      const asked: Record<string, string | number> = { types, limit: 500 };
      if (after !== null) asked['after'] = after;
      const page = recordOf(await api.get('/v1/events', asked));
      const events = page['events'] as FeedEvent[];
      const ours = events.filter(({ data }) => data.id === id || data.id === nextTaskId);
      told.push(...ours.map(({ type, data }) => `${type} ${data.id}`));
      after = page['nextAfter'] as string | null;
      if (events.length === 0 || after === null) return told.sort();
    }
  }

  it(
    `makes one next task, and tells each change once, in ${runs} runs`,
    async () => {
      for (let run = 0; run < runs; run++) {
        const given = { title: `Run ${run}`, dueMs: Date.now() + dayMs };
        const recurrence = { freq: 'daily', timeZone: 'Europe/Paris' };
        const made = recordOf(await api.post('/v1/tasks', { ...given, recurrence }));
        const { id } = made['task'] as Task;
        const cutOff = Promise.allSettled(Array.from({ length: completions }, () => complete(id)));
        await sleep(randomInt(60));
        await running.kill('services');
        await cutOff;
        await running.restart();
        for (const answer of await Promise.all([complete(id), complete(id)]))
          expect(answer.status).toBe(200);

        const { task } = recordOf(await api.get(`/v1/tasks/${id}`)) as unknown as { task: Task };
        const { tasks } = recordOf(await api.get('/v1/tasks', { limit: 1000 })) as unknown as {
          tasks: Task[];
        };
        const next = tasks.filter(({ previousTaskId }) => previousTaskId === id);
        expect(next).toMatchObject([{ id: task.nextTaskId, status: 'todo' }]);
        const expected = [
          `task.completed ${id}`,
          `task.created ${id}`,
          `task.created ${String(task.nextTaskId)}`,
        ];
        await until(async () => (await toldOf(task)).length >= expected.length);
        expect(await toldOf(task)).toEqual(expected);
      }
    },
    runs * 60_000,
  );
});
