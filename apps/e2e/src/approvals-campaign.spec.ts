// tags: own
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  openApprovalStates,
  services,
  table,
  type ApprovalRequest,
  type AuditEntry,
  type FeedEvent,
} from '@postroom/contracts';
import { repetitions } from '@postroom/testing/repetitions';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { agentScopes, agentWrites, askFor, type ReadyWrite } from './agent-writes.js';
import { approvalOf, decide, shownTo } from './approving.js';
import { topology } from './config.js';
import { type Answer, send } from './http.js';
import { readProduct, type RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { SettingsApi } from './settings-api.js';
import { itemsOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const count = repetitions(500, 40);
/** Writes that may wait at a time for one key. */
const ofOneKey = 50;
const clients = 8;

/** Every operation whose writes may have to wait, and the processes that may be killed for it. */
const operations = table.filter(({ approval }) => approval === 'eligible');
const apps = new Set(['gateway', ...operations.map(({ service }) => services[service].app)]);

/** Every eleventh: over many rounds of the operations none is always rejected. */
const isRejected = (at: number): boolean => at % 11 === 10;

/** A write that an agent asks for, and what is kept of it. */
interface WriteRequest {
  readonly marker: string;
  readonly operation: (typeof operations)[number];
  readonly key: OwnKey;
  readonly write: ReadyWrite;
  approval?: ApprovalRequest;
}

describe('approvals while processes are killed', () => {
  let running: RunningProduct;
  let place: Workplace;
  let members: SettingsApi[];
  let writes: ReturnType<typeof agentWrites>;
  let direct: OwnKey;
  let keys: OwnKey[];
  let kills = 0;

  beforeAll(async () => {
    running = await startProduct({ RATE_LIMIT_PER_MINUTE: '1000000' });
    place = await Workplace.open('acme', running.product);
    const mailbox = await place.mailbox();
    const { book } = recordOf(await place.settings.post('/address-books', { name: randomUUID() }));
    const agent = { kind: 'agent', scopes: agentScopes, member: place.tenant.member.email };
    direct = await place.keyFor(mailbox, { ...agent, approval: 'none' });
    const bookId = (book as { id: string }).id;
    writes = agentWrites({ place, mailbox, bookId, direct });
    keys = [];
    for (let i = 0; i < Math.ceil(count / ofOneKey); i++)
      keys.push(await place.keyFor(mailbox, { ...agent, approval: 'required' }));
    // A calendar that an agent wants to make is seen by administrators alone.
    const other = { email: `${randomUUID()}@acme.test`, password: randomUUID() };
    const rights = { name: 'Another', role: 'admin', canApprove: true };
    await place.settings.post('/members', { ...other, ...rights });
    members = [place.settings, await SettingsApi.signIn(running.product, other)];
  });
  afterAll(() => running.remove());

  /** Kills a process (all of them, where there is one), and waits for what replaces it. */
  const kill = async (): Promise<void> => {
    kills++;
    if (topology() === 'process') {
      await running.kill('services');
      return running.restart();
    }
    const { instances = [] } = await readProduct(running.demoFile);
    const killable = instances.filter(({ service }) => apps.has(service));
    const chosen = killable[Math.floor(Math.random() * killable.length)];
    if (!chosen) throw new Error('no process to kill');
    process.kill(chosen.pid, 'SIGKILL');
    for (const untilMs = performance.now() + 240_000; performance.now() < untilMs;) {
      await sleep(200);
      const now = (await readProduct(running.demoFile)).instances ?? [];
      const next = now.find(({ instance }) => instance === chosen.instance);
      if (!next || next.pid === chosen.pid) continue;
      const ready = await send(`${next.healthUrl}/readyz`).catch(() => undefined);
      if (ready?.status === 200) return;
    }
    throw new Error(`${chosen.instance} does not come back`);
  };

  /** Repeats a request until it is answered, and not by an outage. */
  const insist = async (ask: () => Promise<Answer>): Promise<Answer> => {
    for (const untilMs = performance.now() + 240_000; ; await sleep(200)) {
      const answer = await ask().catch(() => undefined);
      if (answer && answer.status < 500) return answer;
      if (performance.now() > untilMs) throw new Error('nobody answers');
    }
  };

  /** Runs work on many with a few clients. */
  const each = async <T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> => {
    const queue = [...all];
    const client = async (): Promise<void> => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) await work(one);
    };
    await Promise.all(Array.from({ length: clients }, client));
  };

  /** The write of an operation on resources of its own, made before anything is killed. */
  const prepared = async (at: number): Promise<WriteRequest> => {
    const operation = operations[at % operations.length];
    const prepare = operation && writes[operation.id];
    const key = keys[at % keys.length];
    if (!prepare || !key) throw new Error(`${operation?.id} is missing in agent-writes.ts`);
    const marker = randomUUID();
    return { marker, operation, key, write: await prepare(marker) };
  };

  const file = async (asked: WriteRequest): Promise<void> => {
    const { marker, key, write } = asked;
    const headers = { 'Idempotency-Key': marker, 'X-Request-Id': marker };
    const answer = await insist(() => askFor(key, write, headers));
    expect(answer.status).toBe(202);
    asked.approval = approvalOf(answer);
  };

  /** Both members click; one is heard, by whichever answer comes through. */
  const click = async ({ approval }: WriteRequest, at: number): Promise<void> => {
    if (!approval) throw new Error('it was not filed');
    const verb = isRejected(at) ? 'reject' : 'approve';
    const clicks = members.map((member) => insist(() => decide(member, approval, verb)));
    for (const { status } of await Promise.all(clicks)) expect([200, 409]).toContain(status);
  };

  it(`ends each of ${count} once, whatever is killed`, async () => {
    const all: WriteRequest[] = [];
    await each(
      Array.from({ length: count }, (_, at) => at),
      async (at) => {
        all[at] = await prepared(at);
      },
    );
    const over = new AbortController();
    const isOver = (): boolean => over.signal.aborted;
    const killing = (async () => {
      while (!isOver()) {
        await sleep(200 + Math.random() * 1_000, undefined, { signal: over.signal }).catch(
          () => undefined,
        );
        if (!isOver()) await kill();
      }
    })();
    const numbered = all.map((asked, at) => [asked, at] as const);
    await each(numbered, ([asked]) => file(asked));
    await each(numbered, ([asked, at]) => click(asked, at));
    over.abort();
    await killing;

    const ended = await endOf(all);
    const tally = Object.fromEntries(
      [...Map.groupBy(ended, ({ state }) => state)].map(([state, { length }]) => [state, length]),
    );
    expect(ended.filter(({ state }) => openApprovalStates.includes(state))).toEqual([]);
    expect(tally['rejected']).toBe(all.filter((_, at) => isRejected(at)).length);
    expect(Object.keys(tally).sort()).toEqual(['executed', 'rejected']);

    const executed = ended.filter(({ state }) => state === 'executed');
    const once = {
      made: await expectMadeOnce(all, executed),
      audited: await expectAuditOnce(executed),
      events: await expectEventsOnce(executed),
      receipts: await expectReceipts(ended),
    };
    const ofOperations = new Set(executed.map(({ operation }) => operation)).size;
    const figures = { topology: topology(), count, kills, ...tally, ofOperations, ...once };
    process.stdout.write(`approvals campaign: ${JSON.stringify(figures)}\n`);
  }, 900_000);

  const endOf = async (all: readonly WriteRequest[]): Promise<ApprovalRequest[]> => {
    const ended: ApprovalRequest[] = [];
    await each(all, async ({ approval }) => {
      const untilMs = performance.now() + 240_000;
      let now = approval;
      const isOpen = () => now && (openApprovalStates.includes(now.state) || now.receipt === null);
      while (isOpen() && performance.now() < untilMs) {
        await sleep(100);
        const { id = '' } = approval ?? {};
        now = await shownTo(members[0] ?? new SettingsApi(running.product), { id });
      }
      if (now) ended.push(now);
    });
    return ended;
  };

  /** Counts the resources that were made: a write that was done twice would have made another. */
  const expectMadeOnce = async (
    all: readonly WriteRequest[],
    executed: readonly ApprovalRequest[],
  ): Promise<number> => {
    const done = new Set(executed.map(({ idempotencyKey }) => idempotencyKey));
    let made = 0;
    for (const { marker, operation, write } of all) {
      if (!write.made) continue;
      const found = [operation.id, marker, await write.made()];
      expect(found).toEqual([operation.id, marker, done.has(marker) ? 1 : 0]);
      made += done.has(marker) ? 1 : 0;
    }
    return made;
  };

  /** Every executed write is in the audit once, with who approved it. */
  const expectAuditOnce = async (written: readonly ApprovalRequest[]): Promise<number> => {
    const admin = members[0] ?? new SettingsApi(running.product);
    const entriesOf = async (): Promise<AuditEntry[]> => {
      const entries: AuditEntry[] = [];
      for (const { id } of keys) {
        for (let token = ''; ;) {
          const more = token === '' ? '' : `&pageToken=${token}`;
          const page = await admin.get(`/audit?actor=${id}&limit=200${more}`);
          entries.push(...(itemsOf(page) as unknown as AuditEntry[]));
          token = (recordOf(page)['nextPageToken'] as string | null) ?? '';
          if (token === '') break;
        }
      }
      return entries.filter(({ approvedBy }) => approvedBy !== null);
    };
    let entries = await entriesOf();
    for (let i = 0; i < 100 && entries.length < written.length; i++) {
      await sleep(200);
      entries = await entriesOf();
    }
    expect(entries.map(({ requestId }) => requestId).sort()).toEqual(
      written.map(({ idempotencyKey }) => idempotencyKey).sort(),
    );
    return entries.length;
  };

  /** Every executed write of an operation that emits has one event, and nothing else has one. */
  const expectEventsOnce = async (executed: readonly ApprovalRequest[]): Promise<number> => {
    const emitting = new Set(
      operations.filter(({ emits }) => emits.length > 0).map(({ id }) => id),
    );
    const expected = executed.filter(({ operation }) => emitting.has(operation));
    const byAgents = new Set(keys.map(({ id }) => id));
    const emitted = async () => (await feed()).filter(({ actor }) => byAgents.has(actor.id ?? ''));
    for (let i = 0; i < 100 && (await emitted()).length < expected.length; i++) await sleep(200);
    // One too many would come after the others.
    await sleep(2_000);
    const events = await emitted();
    const wrong = expected
      .map((approval) => ({ approval, found: events.filter(isOf(approval)) }))
      .filter(({ found }) => found.length !== 1);
    expect(wrong).toEqual([]);
    expect(events).toHaveLength(expected.length);
    return events.length;
  };

  /** The event feed as the agents' member may read it. */
  const feed = async (): Promise<FeedEvent[]> => {
    const all: FeedEvent[] = [];
    for (let after = ''; ;) {
      const page = recordOf(
        await insist(() =>
          direct.get('/v1/events', { limit: 100, ...(after !== '' && { after }) }),
        ),
      ) as unknown as EventPage;
      all.push(...page.events);
      if (!page.truncated || page.nextAfter === null) return all;
      after = page.nextAfter;
    }
  };

  const expectReceipts = async (ended: readonly ApprovalRequest[]): Promise<number> => {
    const published = await send(`${running.product.baseUrl}/.well-known/jwks.json`);
    const keySet = createLocalJWKSet(JSON.parse(published.text) as JSONWebKeySet);
    const ids = new Set<unknown>();
    for (const { id, payloadHash, state, receipt } of ended) {
      const { payload } = await compactVerify(receipt ?? '', keySet);
      const claims = JSON.parse(Buffer.from(payload).toString()) as object;
      const decision = state === 'executed' ? 'approved' : state;
      expect(claims).toMatchObject({ jti: id, payloadHash, decision });
      ids.add(id);
    }
    return ids.size;
  };
});

interface EventPage {
  readonly events: FeedEvent[];
  readonly nextAfter: string | null;
  readonly truncated: boolean;
}

/** True if an event is that of an executed write: of what it changed, of what it made, or itself. */
function isOf({ target, result }: ApprovalRequest): (event: FeedEvent) => boolean {
  const made = Object.values((result?.body ?? {}) as object).map((part: unknown) =>
    typeof part === 'object' && part !== null ? (Reflect.get(part, 'id') as unknown) : undefined,
  );
  const ids = new Set<unknown>([target?.id, ...made].filter((id) => id !== undefined));
  return ({ id, resource }) => ids.has(resource.id) || ids.has(id);
}
