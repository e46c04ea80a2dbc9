import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyCaller } from '@postroom/access';
import type { ReplyEnvelope } from '@postroom/bus';
import { conversations, newId, Problem } from '@postroom/contracts';
import fc from 'fast-check';
import { repetitions } from '@postroom/testing/repetitions';
import type { EngineHandler } from './context.js';
import { bump, comment, handlerOf, keyCaller, Ledger } from './testing/ledger.js';

/** One call: who asks for what under which key, with which of two payloads, and how it goes. */
interface Step {
  readonly caller: number;
  readonly operation: 'comment' | 'archive';
  readonly key: number;
  readonly payload: number;
  readonly fate: 'done' | 'refused' | 'crashed';
}

const steps: fc.Arbitrary<Step> = fc.record({
  caller: fc.nat({ max: 2 }),
  operation: fc.constantFrom('comment', 'archive'),
  key: fc.nat({ max: 1 }),
  payload: fc.nat({ max: 1 }),
  fate: fc.oneof(
    { weight: 3, arbitrary: fc.constant('done' as const) },
    { weight: 1, arbitrary: fc.constantFrom('refused' as const, 'crashed' as const) },
  ),
});

/** Requests that leave one after the other, each at once. */
const walks = fc.array(fc.array(steps, { minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 6,
});

/** The meaning of a key by the specification: nothing yet, or an input and its answer. */
interface Recorded {
  readonly payload: number;
  readonly body: string;
}

const slotOf = ({ caller, operation, key }: Step): string => `${caller} ${operation} ${key}`;

/** Two keys of one workspace, and a key of another. */
function newCallers(): KeyCaller[] {
  const first = keyCaller();
  return [first, keyCaller({ tenantId: first.tenantId }), keyCaller()];
}

let ledger: Ledger;
beforeAll(async () => {
  ledger = await Ledger.open();
});
afterAll(() => ledger.close());

/** Fails, when it is to fail, with its effect done and its event emitted. */
function meet(fate: Step['fate']): void {
  if (fate === 'refused') throw new Problem('VERSION_CONFLICT');
  if (fate === 'crashed') throw new Error('of ours');
}

function handlerFor({ operation, fate }: Step, counter: string): EngineHandler {
  if (operation === 'comment') {
    return handlerOf(conversations.comment, async (context, { text }) => {
      const answer = await comment(context, { id: counter, text });
      meet(fate);
      return answer;
    });
  }
  return handlerOf(conversations.archive, async (context, { id }) => {
    await bump(context, counter);
    meet(fate);
    // No two answers are the same.
    return {
      ok: true,
      id,
      result: { action: 'archive' as const, applied: true, version: 1, nonce: newId('req') },
    };
  });
}

describe('any walk of keyed calls, some of them at once, some failing', () => {
  it('has at most one effect a caller, operation and key, and one answer to an input', async () => {
    const ids = [newId('cnv'), newId('cnv')];
    await fc.assert(
      fc.asyncProperty(walks, async (walk) => {
        const callers = newCallers();
        const recorded = new Map<string, Recorded>();
        for (const together of walk) {
          const answers = await Promise.all(
            together.map((step) =>
              ledger.run(conversations[step.operation], handlerFor(step, slotOf(step)), {
                caller: callers[step.caller] ?? keyCaller(),
                key: `the key ${step.key}`,
                input: { id: ids[step.payload], mailbox: 'support@acme.test', text: 'hello' },
              }),
            ),
          );
          judge(together, answers, recorded);
        }
        await judgeEffects(callers, recorded);
      }),
      { numRuns: repetitions(150, 40) },
    );
  });
});

/** Compares the answers of calls made at once with what the specification allows. */
function judge(
  together: readonly Step[],
  answers: readonly ReplyEnvelope[],
  recorded: Map<string, Recorded>,
): void {
  for (const slot of new Set(together.map(slotOf))) {
    const calls = together
      .map((step, i) => ({ step, answer: answers[i] }))
      .filter(({ step }) => slotOf(step) === slot);
    const fresh = calls.filter(
      ({ answer }) => answer?.status === 200 && answer.headers['x-svc-idempotency'] === undefined,
    );
    const before = recorded.get(slot);
    const mayBegin = !before && calls.some(({ step }) => step.fate === 'done');
    expect(fresh).toHaveLength(mayBegin ? 1 : 0);
    const [first] = fresh;
    if (first?.answer) {
      const { payload } = first.step;
      expect(first.step.fate).toBe('done');
      recorded.set(slot, { payload, body: first.answer.body.toString() });
    }
    for (const { step, answer } of calls) {
      if (answer && answer !== first?.answer) judgeRepeat(step, answer, before, recorded.get(slot));
    }
  }
}

const told = ({ problem, headers, body }: ReplyEnvelope) => ({
  problem,
  outcome: headers['x-svc-idempotency'],
  body: problem === null ? body.toString() : null,
});

/** A call that had no effect: a repeat of what is recorded, or one that failed before it was. */
function judgeRepeat(
  { payload, fate }: Step,
  answer: ReplyEnvelope,
  before: Recorded | undefined,
  now: Recorded | undefined,
): void {
  const failure = {
    problem: fate === 'refused' ? 'VERSION_CONFLICT' : 'INTERNAL',
    outcome: undefined,
    body: null,
  };
  const repeat =
    now?.payload === payload
      ? { problem: null, outcome: 'hit', body: now.body }
      : { problem: 'IDEMPOTENCY_KEY_REUSED', outcome: 'key-reused', body: null };
  const allowed: object[] = [];
  if (now) allowed.push(repeat);
  if (!before && fate !== 'done') allowed.push(failure);
  expect(allowed).toContainEqual(told(answer));
}

/** One effect and one reply for each key that was answered with success, and nothing else. */
async function judgeEffects(
  callers: readonly KeyCaller[],
  recorded: ReadonlyMap<string, Recorded>,
): Promise<void> {
  const tenants = callers.map(({ tenantId }) => tenantId);
  const counters = await ledger.sql<{ id: string; value: number }>(
    'SELECT id, value FROM counters WHERE tenant_id = ANY ($1)',
    [tenants],
  );
  expect(new Map(counters.map(({ id, value }) => [id, value]))).toEqual(
    new Map([...recorded.keys()].map((slot) => [slot, 1])),
  );
  const [kept] = await ledger.sql(
    `SELECT (SELECT count(*)::int FROM replies WHERE tenant_id = ANY ($1)) AS replies,
            (SELECT count(*)::int FROM audit_records WHERE tenant_id = ANY ($1)) AS audits,
            (SELECT count(*)::int FROM outbox WHERE tenant_id = ANY ($1)) AS events`,
    [tenants],
  );
  const events = [...recorded.keys()].filter((slot) => slot.includes('comment')).length;
  expect(kept).toEqual({ replies: recorded.size, audits: recorded.size, events });
}
