import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, newSandboxId, type MoveClock, type Sandbox } from '@postroom/contracts';
import type { ReceivedCall, StandInAnswer } from '@postroom/service-testing';
import { repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf } from '../../testing/http.js';

const hourMs = 3_600_000;

/** A service with things that are due: it does one that is a moment after it has come to its time. */
class DueThings {
  aheadMs = 0;
  waiting: number[] = [];
  /** Done next time that it is looked at. */
  private begun: number[] = [];
  /** Until then what is due in a workspace is not done. */
  hold: (tenantId: string) => Promise<void> = () => Promise.resolve();

  constructor(private readonly done: number[]) {}

  readonly answer = async ({ request, input, caller }: ReceivedCall): Promise<StandInAnswer> => {
    if (!request.operation.endsWith('.clock')) return { body: { ok: true } };
    const { aheadMs } = input as unknown as MoveClock;
    this.aheadMs = Math.max(this.aheadMs, aheadMs);
    this.done.push(...this.begun.splice(0));
    const nowMs = Date.now() + this.aheadMs;
    this.begun = this.waiting.filter((ms) => ms <= nowMs).sort((a, b) => a - b);
    this.waiting = this.waiting.filter((ms) => ms > nowMs);
    await this.hold(caller.tenantId);
    const nextMs = this.waiting.length === 0 ? null : Math.min(...this.waiting);
    const isBusy = this.begun.length > 0;
    return { body: { aheadMs: this.aheadMs, nextMs, isBusy, published: [] } };
  };
}

describe('an advance of the clock', () => {
  let gateway: Gateway;
  let place: SomeWorkspace;
  let done: number[];
  let mail: DueThings;
  let scheduling: DueThings;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.close());
  beforeEach(() => begin());

  async function begin(): Promise<void> {
    place = await gateway.workspace(undefined, newSandboxId());
    done = [];
    mail = new DueThings(done);
    scheduling = new DueThings(done);
    gateway.mail.answer = mail.answer;
    gateway.scheduling.answer = scheduling.answer;
  }

  const advance = (advanceMs: number, by = place) =>
    gateway.settings(by.admin, 'POST', '/sandbox/clock', { advanceMs });
  const look = async () =>
    bodyOf(await gateway.settings(place.admin, 'GET', '/sandbox'))['sandbox'] as Sandbox;
  const over = async (): Promise<Sandbox> => {
    for (;;) {
      const found = await look();
      if (found.advance?.state !== 'running') return found;
      await sleep(10);
    }
  };

  it('does what is due in each service once, in the order of time over all of them', async () => {
    const times = fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 6 });
    const property = fc.asyncProperty(times, times, async (ofMail, ofScheduling) => {
      await begin();
      const nowMs = Date.now();
      mail.waiting = ofMail.map((minutes) => nowMs + minutes * 60_000);
      scheduling.waiting = ofScheduling.map((minutes) => nowMs + minutes * 60_000);
      const all = [...mail.waiting, ...scheduling.waiting].sort((a, b) => a - b);
      const untilMs = 3_000 * 60_000;
      const { status, text } = await advance(untilMs);
      expect([status, text]).toEqual([200, expect.stringContaining('"done"')]);
      const due = all.filter((ms) => ms <= nowMs + untilMs);
      expect(done).toEqual(due);
      const { advance: last, aheadMs } = await look();
      expect([aheadMs, last?.stops]).toEqual([untilMs, new Set(due).size]);
    });
    await fc.assert(property, { numRuns: repetitions(30, 4) });
  });

  it('is refused while another is under way, of this workspace alone', async () => {
    const held = Promise.withResolvers<void>();
    const { id } = place;
    mail.hold = (tenantId) => (tenantId === id ? held.promise : Promise.resolve());
    const first = advance(hourMs);
    while ((await look()).advance?.state !== 'running') await sleep(5);
    expect(bodyOf(await advance(hourMs))).toMatchObject({ error: 'CLOCK_MOVING' });
    // A place of gateway.clocks is held meanwhile.
    const other = await gateway.workspace(undefined, newSandboxId());
    expect((await advance(hourMs, other)).status).toBe(200);
    held.resolve();
    expect((await first).status).toBe(200);
    expect((await look()).advance).toMatchObject({ state: 'done', advancedMs: hourMs });
  });

  it('goes on where the process that moved it was lost, and does nothing twice', async () => {
    const nowMs = Date.now();
    mail.waiting = [1, 2, 3, 4].map((hours) => nowMs + hours * hourMs);
    const due = [...mail.waiting];
    const held = Promise.withResolvers<void>();
    const asked = advance(5 * hourMs);
    while (done.length < 2) await sleep(5);
    scheduling.hold = () => held.promise;
    const stopped = gateway.stop();
    held.resolve();
    await Promise.all([stopped, asked.catch(() => undefined)]);
    await gateway.rows(`UPDATE clock_advances SET leased_until = '-infinity'`);
    await gateway.open();
    expect((await over()).advance).toMatchObject({ state: 'done', advancedMs: 5 * hourMs });
    expect(done).toEqual(due);
  });

  it('is audited, moves no clock of another workspace, and goes a hundred years ahead at most', async () => {
    const other = await gateway.workspace(undefined, newSandboxId());
    await advance(hourMs);
    const read = await gateway.settings(other.admin, 'GET', '/sandbox');
    expect(bodyOf(read)).toMatchObject({ sandbox: { aheadMs: 0, advance: null } });
    expect(gateway.mail.calls.filter(({ caller }) => caller.tenantId === other.id)).toEqual([]);
    expect(await gateway.audit(place)).toMatchObject([{ action: 'sandbox.clock' }]);
    await gateway.rows(
      'UPDATE clocks SET ahead_ms = 99 * 365 * 86400000::bigint WHERE tenant_id = $1',
      [place.id],
    );
    const far = bodyOf(await advance(9 * 366 * 24 * hourMs));
    expect(far).toMatchObject({ error: 'INVALID_REQUEST', details: [{ field: 'advanceMs' }] });
  });

  it('is asked for by administrators of a sandbox alone', async () => {
    const production = await gateway.workspace(undefined, newId('ten'));
    expect((await advance(hourMs, production)).status).toBe(404);
    const member = await gateway.member(place);
    const asked = await gateway.settings(member, 'POST', '/sandbox/clock', { advanceMs: hourMs });
    expect(asked.status).toBe(403);
  });
});
