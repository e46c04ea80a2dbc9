import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApprovalStates, type ApprovalRequest, type AuditEntry } from '@postroom/contracts';
import { repetitions } from '@postroom/testing/repetitions';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { approvalOf, decide, shownTo } from './approving.js';
import { topology } from './config.js';
import { type Answer, send } from './http.js';
import { readProduct, type RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { SettingsApi } from './settings-api.js';
import { conversationOf, draftOf, draftsOf, itemsOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const count = repetitions(500, 60);
const conversationCount = 20;
/** Of these at most may wait at a time for one key. */
const ofOneKey = 50;
const clients = 8;
const scopes = ['read:conversations', 'write:conversations', 'drafts:write'];

/** A write that an agent asks for, and what is kept of it. */
interface Asked {
  readonly marker: string;
  readonly kind: 'comment' | 'label' | 'archive' | 'assign' | 'create' | 'update' | 'remove';
  readonly key: OwnKey;
  approval?: ApprovalRequest;
}

const kinds = ['comment', 'create', 'label', 'update', 'archive', 'remove', 'assign'] as const;

describe('approvals while processes are killed', () => {
  let running: RunningProduct;
  let place: Workplace;
  let members: SettingsApi[];
  let mailbox: string;
  let direct: OwnKey;
  let keys: OwnKey[];
  let conversations: string[];
  let kills = 0;

  beforeAll(async () => {
    running = await startProduct({ RATE_LIMIT_PER_MINUTE: '1000000' });
    place = await Workplace.open('acme', running.product);
    mailbox = await place.mailbox();
    const agent = { kind: 'agent', scopes, member: place.tenant.member.email };
    direct = await place.keyFor(mailbox, { ...agent, approval: 'none' });
    keys = [];
    for (let i = 0; i < Math.ceil(count / ofOneKey); i++)
      keys.push(await place.keyFor(mailbox, { ...agent, approval: 'required' }));
    conversations = [];
    for (let i = 0; i < conversationCount; i++)
      conversations.push((await place.receive(direct, mailbox)).id);
    const { admin, member } = place.tenant;
    members = [
      await SettingsApi.signIn(running.product, admin),
      await SettingsApi.signIn(running.product, member),
    ];
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
    const killable = instances.filter(({ service }) => ['gateway', 'mail'].includes(service));
    const chosen = killable[Math.floor(Math.random() * killable.length)];
    if (!chosen) throw new Error('no process to kill');
    process.kill(chosen.pid, 'SIGKILL');
    for (const untilMs = performance.now() + 60_000; performance.now() < untilMs;) {
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
    for (const untilMs = performance.now() + 120_000; ; await sleep(200)) {
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

  const someDraft = async (): Promise<string> => {
    const draft = { subject: 'Before' };
    return draftOf(await insist(() => direct.post('/v1/drafts', { mailbox, draft }, randomUUID())))
      .id;
  };

  const requestOf = async ({ kind, marker }: Asked, at: number) => {
    const thread = `/v1/conversations/${conversations[at % conversationCount]}`;
    const draft = { mailbox, draft: { subject: marker } };
    const query = `?mailbox=${encodeURIComponent(mailbox)}`;
    const requests = {
      comment: () => ['POST', `${thread}/comment`, { mailbox, text: marker }] as const,
      label: () => ['POST', `${thread}/labels`, { mailbox, add: [marker] }] as const,
      archive: () => ['POST', `${thread}/archive`, { mailbox }] as const,
      assign: () => ['POST', `${thread}/assign`, { mailbox, status: 'pending' }] as const,
      create: () => ['POST', '/v1/drafts', draft] as const,
      update: async () => ['PATCH', `/v1/drafts/${await someDraft()}`, draft] as const,
      remove: async () => ['DELETE', `/v1/drafts/${await someDraft()}${query}`, null] as const,
    };
    return requests[kind]();
  };

  const file = async (asked: Asked, at: number): Promise<void> => {
    const [method, path, body] = await requestOf(asked, at);
    const answer = await insist(() =>
      asked.key.request(method, path, body === null ? undefined : JSON.stringify(body), {
        ...{ 'Idempotency-Key': asked.marker, 'X-Request-Id': asked.marker },
      }),
    );
    expect(answer.status).toBe(202);
    asked.approval = approvalOf(answer);
  };

  /** Both members click; one is heard, by whichever answer comes through. */
  const click = async ({ approval }: Asked, at: number): Promise<void> => {
    if (!approval) throw new Error('it was not filed');
    const verb = at % 10 === 9 ? 'reject' : 'approve';
    const clicks = members.map((member) => insist(() => decide(member, approval, verb)));
    for (const { status } of await Promise.all(clicks)) expect([200, 409]).toContain(status);
  };

  it(`ends each of ${count} once, whatever is killed`, async () => {
    const all: Asked[] = Array.from({ length: count }, (_, i) => ({
      marker: randomUUID(),
      kind: kinds[i % kinds.length] ?? 'comment',
      key: keys[i % keys.length] ?? direct,
    }));
    const over = new AbortController();
    const isOver = (): boolean => over.signal.aborted;
    const killing = (async () => {
      while (!isOver()) {
        await sleep(300 + Math.random() * 1_500, undefined, { signal: over.signal }).catch(
          () => undefined,
        );
        if (!isOver()) await kill();
      }
    })();
    const numbered = all.map((asked, at) => [asked, at] as const);
    await each(numbered, ([asked, at]) => file(asked, at));
    await each(numbered, ([asked, at]) => click(asked, at));
    over.abort();
    await killing;

    const ended = await endOf(all);
    const tally = Object.fromEntries(
      [...Map.groupBy(ended, ({ state }) => state)].map(([state, { length }]) => [state, length]),
    );
    const figures = { topology: topology(), count, kills, ...tally };
    process.stdout.write(`approvals campaign: ${JSON.stringify(figures)}\n`);
    expect(ended.filter(({ state }) => openApprovalStates.includes(state))).toEqual([]);
    expect(tally['rejected']).toBe(all.filter((_, at) => at % 10 === 9).length);
    expect(Object.keys(tally).sort()).toEqual(['executed', 'rejected']);

    await expectEffectsOnce(all, ended);
    await expectAuditOnce(ended);
    await expectReceipts(ended);
  }, 600_000);

  const endOf = async (all: readonly Asked[]): Promise<ApprovalRequest[]> => {
    const ended: ApprovalRequest[] = [];
    await each(all, async ({ approval }) => {
      const untilMs = performance.now() + 120_000;
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

  /** Comments and drafts are counted: one that was made twice is there twice. */
  const expectEffectsOnce = async (
    all: readonly Asked[],
    ended: readonly ApprovalRequest[],
  ): Promise<void> => {
    const texts: string[] = [];
    for (const id of conversations) {
      const answer = await direct.get(`/v1/conversations/${id}`, { mailbox });
      texts.push(...conversationOf(answer).comments.map(({ text }) => text));
    }
    for (let pageToken = ''; ;) {
      const page = await direct.get('/v1/drafts', {
        ...{ mailbox, limit: 100 },
        ...(pageToken !== '' && { pageToken }),
      });
      texts.push(...draftsOf(page).drafts.map(({ subject }) => subject));
      pageToken = (recordOf(page)['nextPageToken'] as string | null) ?? '';
      if (pageToken === '') break;
    }
    const done = new Set(
      ended.filter(({ state }) => state === 'executed').map((one) => one.idempotencyKey),
    );
    const counted = all.filter(({ kind }) => ['comment', 'create', 'update'].includes(kind));
    const wrong = counted.filter(
      ({ marker }) => texts.filter((text) => text === marker).length !== (done.has(marker) ? 1 : 0),
    );
    expect(wrong).toEqual([]);
  };

  /** Every executed write is in the audit once, with who approved it. */
  const expectAuditOnce = async (ended: readonly ApprovalRequest[]): Promise<void> => {
    const written = ended.filter(({ state }) => state === 'executed');
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
  };

  const expectReceipts = async (ended: readonly ApprovalRequest[]): Promise<void> => {
    const published = await send(`${running.product.baseUrl}/.well-known/jwks.json`);
    const keySet = createLocalJWKSet(JSON.parse(published.text) as JSONWebKeySet);
    for (const { id, payloadHash, receipt } of ended) {
      const { payload } = await compactVerify(receipt ?? '', keySet);
      expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ jti: id, payloadHash });
    }
  };
});
