import { Pieces } from '@postroom/limits';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InProcessBus, UnverifiedRecord, type EventHandler } from '@postroom/bus';
import {
  newId,
  type ServiceName,
  type AuditEntry,
  type AuditPage,
  type AuditVerdict,
} from '@postroom/contracts';
import type { AuditRecord, Reading } from '@postroom/operations';
import { createLog } from '@postroom/service';
import { until } from '@postroom/testing/until';
import { connectAccess } from '../entities.js';
import { Gateway, idOfKey, type SomeWorkspace } from '../../testing/gateway.js';
import { bodyOf, type Answer } from '../../testing/http.js';
import { limits } from '../../limits.js';
import { AuditChain } from './audit-chain.js';
import { ChainEnds, receiveAudit, startSealer } from './sealing.js';
import { verifyChain, type AuditStep } from './verify-audit.js';

const auditKey = 'a key that seals the audit of specs';

describe('the audit', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;

  beforeAll(async () => {
    gateway = await Gateway.start({ AUDIT_KEY: auditKey });
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    workspace = await gateway.workspace();
  });

  const get = (path: string, from = workspace): Promise<Answer> =>
    gateway.settings(from.admin, 'GET', path);
  const page = async (query = ''): Promise<AuditPage> =>
    JSON.parse((await get(`/audit${query}`)).text) as AuditPage;
  const verify = async (): Promise<AuditVerdict> => {
    const answer = await get('/audit/verify');
    expect(answer.status).toBe(200);
    return JSON.parse(answer.text) as AuditVerdict;
  };
  const setSwitch = (open: boolean, from = workspace): Promise<Answer> =>
    gateway.settings(from.admin, 'PUT', '/send-switch', { open });

  /** As many changes, sealed. */
  const changes = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await setSwitch(i % 2 === 0);
    await gateway.sealed(workspace);
  };
  const sql = (text: string, ...values: unknown[]): Promise<object[]> =>
    gateway.rows(text, [workspace.id, ...values]);
  const idAt = async (position: number): Promise<string> => {
    const [row] = await gateway.rows<{ id: string }>(
      'SELECT id FROM audit_entries WHERE tenant_id = $1 AND position = $2',
      [workspace.id, position],
    );
    return row?.id ?? '';
  };

  it('shows a change within about a second, with who made it and by which request', async () => {
    const answer = await setSwitch(false);
    await gateway.sealed(workspace);
    const { items } = await page();
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      action: 'sendSwitch.set',
      actor: { type: 'member', id: workspace.admin.id, name: expect.any(String) },
      subjectName: null,
      source: 'app',
      requestId: answer.headers['x-request-id'],
      position: 1,
    });
    expect(await verify()).toEqual({
      ok: true,
      entries: 1,
      sealedThrough: items[0]?.at,
      unsealed: 0,
      firstBrokenId: null,
    });
  });

  it('has a chain of nothing, which is whole, before the first change', async () => {
    expect(await page()).toEqual({ items: [], nextPageToken: null });
    expect(await verify()).toMatchObject({ ok: true, entries: 0, sealedThrough: null });
    expect((await get('/audit/export')).text).toBe('');
  });

  describe('the list', () => {
    it('goes newest first through pages of any size, each entry once, whatever is added', async () => {
      await changes(7);
      const seen: string[] = [];
      let query = '?limit=3';
      for (;;) {
        const { items, nextPageToken } = await page(query);
        seen.push(...items.map(({ id }) => id));
        if (nextPageToken === null) break;
        await changes(1);
        query = `?limit=2&pageToken=${nextPageToken}`;
      }
      expect(seen).toHaveLength(7);
      expect(seen).toEqual([...seen].sort().reverse());
    });

    it('is filtered by who, what and when', async () => {
      const other = await gateway.member(workspace, 'admin');
      await gateway.settings(other, 'PATCH', `/members/${other.id}`, { name: 'Alex' });
      await changes(2);
      const all = (await page()).items;
      expect((await page(`?actor=${other.id}`)).items.map(({ action }) => action)).toEqual([
        'members.update',
      ]);
      expect((await page('?action=sendSwitch.set')).items).toHaveLength(2);
      const [, middle] = all;
      const at = encodeURIComponent(middle?.at ?? '');
      expect((await page(`?from=${at}`)).items).toEqual(
        all.filter((entry) => entry.at >= (middle?.at ?? '')),
      );
      expect((await page(`?to=${at}`)).items).toEqual(
        all.filter((entry) => entry.at < (middle?.at ?? '')),
      );
      expect((await page(`?actor=${other.id}&action=sendSwitch.set`)).items).toEqual([]);
    });

    it('has the names of members, keys and teams as they are now, and the subject as a filter', async () => {
      const { admin } = workspace;
      const post = async (path: string, body: object, kind: string): Promise<string> => {
        const answer = await gateway.settings(admin, 'POST', path, body);
        return (JSON.parse(answer.text) as Record<string, { id: string }>)[kind]?.id ?? '';
      };
      const member = await post('/members', { email: 'lea@acme.test', name: 'Lea' }, 'member');
      const team = await post('/teams', { name: 'Night', memberIds: [member] }, 'team');
      const key = await post('/keys', { name: 'Robot', kind: 'human' }, 'key');
      await gateway.settings(admin, 'PATCH', `/members/${member}`, { name: 'Léa' });
      await gateway.settings(admin, 'PATCH', `/members/${admin.id}`, { name: 'Ada' });
      await gateway.sealed(workspace);
      const exported = async (query: string): Promise<AuditEntry[]> =>
        (await get(`/audit/export${query}`)).text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as AuditEntry);
      for (const [id, name, count] of [
        [member, 'Léa', 2],
        [team, 'Night', 1],
        [key, 'Robot', 1],
      ] as const) {
        const { items } = await page(`?subject=${id}`);
        expect(items).toHaveLength(count);
        for (const { subjectName, actor } of items)
          expect([subjectName, actor.name]).toEqual([name, 'Ada']);
        // Chosen entries are no chain, and have no head.
        expect((await exported(`?subject=${id}`)).toReversed()).toEqual(items);
      }
      const [last] = (await page(`?subject=${member}`)).items;
      const at = encodeURIComponent(last?.at ?? '');
      const query = `?actor=${admin.id}&action=members.update&subject=${member}`;
      expect(await exported(`${query}&from=${at}`)).toEqual([last]);
      expect(await exported(`${query}&to=${at}`)).toEqual([]);
      await gateway.settings(admin, 'DELETE', `/members/${member}`);
      expect((await page(`?subject=${member}`)).items[0]?.subjectName).toBeNull();
    });

    it.each([
      ['limit', '?limit=0'],
      ['limit', '?limit=201'],
      ['from', '?from=yesterday'],
      ['to', '?to=2026-01-01'],
      ['actor', '?actor='],
      ['subject', `?subject=${'a'.repeat(65)}`],
      ['action', `?action=${'a'.repeat(101)}`],
      ['actor', '?actor=a&actor=b'],
      ['pageToken', '?pageToken=x'],
    ])('names the parameter at fault: %s in %s', async (field, query) => {
      const answer = await get(`/audit${query}`);
      expect(answer.status).toBe(400);
      expect(bodyOf(answer).details).toEqual([
        { field, code: expect.any(String), message: expect.any(String) },
      ]);
    });

    it('takes no page token of another query or workspace', async () => {
      await changes(2);
      const { nextPageToken } = await page('?limit=1');
      const elsewhere = await gateway.workspace();
      for (const answer of [
        await get(`/audit?action=x&pageToken=${nextPageToken}`),
        await get(`/audit?pageToken=${nextPageToken}`, elsewhere),
        await get(`/audit?pageToken=${'x'.repeat(40)}`),
      ]) {
        expect(answer.status).toBe(400);
        expect(bodyOf(answer).error).toBe('INVALID_PAGE_TOKEN');
      }
    });
  });

  it('is for administrators, and of their own workspace', async () => {
    await changes(1);
    const member = await gateway.member(workspace);
    const elsewhere = await gateway.workspace();
    for (const path of ['/audit', '/audit/export', '/audit/verify']) {
      expect((await gateway.settings(member, 'GET', path)).status).toBe(403);
      expect((await gateway.send(`/settings/api${path}`)).status).toBe(401);
      expect((await get(path, elsewhere)).text).not.toContain(await idAt(1));
    }
  });

  describe('the export', () => {
    it('has every entry, oldest first, and whoever has the key can follow the chain', async () => {
      await sql(
        `INSERT INTO audit_records (tenant_id, id, at, actor_type, actor_id, source, action)
         SELECT $1, 'aud_' || lpad(n::text, 26, '0'), '2026-01-01', 'system', NULL, 'app', 'spec'
         FROM generate_series(1, 1500) n`,
      );
      await changes(1);
      const { status, headers, text } = await get('/audit/export');
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
      expect(text.endsWith('\n')).toBe(true);
      const lines = text.trimEnd().split('\n');
      const { head } = JSON.parse(lines.pop() ?? '') as { head: Record<string, unknown> };
      // Its own record may be sealed before its last part is read.
      expect([1501, 1502]).toContain(lines.length);
      let previous = Buffer.alloc(32);
      for (const [index, line] of lines.entries()) {
        const { position, hash, approvedBy, durationMs, ...shown } = JSON.parse(line) as AuditEntry;
        const { subjectName, approvedByName, actor, ...rest } = shown;
        // Nothing was measured of the older ones; what is null is not sealed.
        expect(durationMs).toEqual(index === 1500 ? expect.any(Number) : null);
        const { type, id } = actor;
        const record = { ...rest, actor: { type, id }, ...(durationMs !== null && { durationMs }) };
        // Records from before there were approvals have none, and verify all the same.
        expect(approvedBy).toBeNull();
        expect(position).toBe(index + 1);
        const text = JSON.stringify({ ...record, tenantId: workspace.id }, (_key, value: unknown) =>
          typeof value === 'object' && value !== null
            ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
            : value,
        );
        previous = createHmac('sha256', auditKey).update(previous).update(text).digest();
        expect(hash).toBe(previous.toString('hex'));
      }
      const lastHash = previous.toString('hex');
      const hash = createHmac('sha256', auditKey)
        .update(`head ${workspace.id} ${lines.length} ${lastHash}`)
        .digest('hex');
      expect(head).toEqual({ length: lines.length, lastHash, hash });
    });

    it('is in the audit itself, as exports of calendars are: once, and not where it is refused', async () => {
      const { answer } = gateway.scheduling;
      gateway.scheduling.answer = ({ input: { after } }) => ({
        body: { lines: 'BEGIN:VCALENDAR', after: after === 'last' ? null : 'last' },
      });
      const id = newId('cal');
      await get('/audit/export');
      await get(`/calendars/${id}/export`);
      gateway.scheduling.answer = () => ({ status: 404, problem: 'CALENDAR_NOT_FOUND' });
      await get(`/calendars/${id}/export`);
      gateway.scheduling.answer = answer;
      const actorId = workspace.admin.id;
      expect(await gateway.audit(workspace)).toEqual([
        { action: 'audit.export', subjectId: null, actorId, requestId: expect.any(String) },
        {
          action: 'calendarTransfer.export',
          subjectId: id,
          actorId,
          requestId: expect.any(String),
        },
      ]);
    });

    it('begins where it is told to', async () => {
      await changes(3);
      const lines = (await get('/audit/export?after=2')).text.trimEnd().split('\n');
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ position: 3 });
      expect(lines).toHaveLength(2);
      expect((await get('/audit/export?after=-1')).status).toBe(400);
    });
  });

  describe('verification', () => {
    beforeEach(() => changes(5));

    it.each([
      ['action', `'x'`],
      ['actor_id', `'mbr_x'`],
      ['actor_type', `'key'`],
      ['at', `at + interval '1 millisecond'`],
      ['id', `id || 'x'`],
      ['request_id', 'NULL'],
      ['source', `'api'`],
      ['subject_id', `'x'`],
      ['hash', `'\\x00'`],
    ])('finds an altered %s', async (column, value) => {
      await sql(
        `UPDATE audit_entries SET ${column} = ${value} WHERE tenant_id = $1 AND position = 3`,
      );
      expect(await verify()).toMatchObject({ ok: false, entries: 2, firstBrokenId: await idAt(3) });
    });

    it('finds a removed entry', async () => {
      await sql('DELETE FROM audit_entries WHERE tenant_id = $1 AND position = 3');
      expect(await verify()).toMatchObject({ ok: false, entries: 2, firstBrokenId: await idAt(4) });
    });

    it('finds a removed entry whose place was closed', async () => {
      await sql('DELETE FROM audit_entries WHERE tenant_id = $1 AND position = 3');
      await sql(
        'UPDATE audit_entries SET position = position - 1 WHERE tenant_id = $1 AND position = 4',
      );
      expect(await verify()).toMatchObject({ ok: false, firstBrokenId: await idAt(3) });
    });

    it('finds two entries that changed places', async () => {
      for (const [from, to] of [
        [2, 100],
        [3, 2],
        [100, 3],
      ]) {
        await sql(
          'UPDATE audit_entries SET position = $3 WHERE tenant_id = $1 AND position = $2',
          from,
          to,
        );
      }
      expect(await verify()).toMatchObject({ ok: false, firstBrokenId: await idAt(2) });
    });

    it.each([
      ['in between', 3],
      ['at the end', 6],
    ])('finds an entry inserted %s', async (_where, position) => {
      const forged = newId('aud');
      await sql(
        `UPDATE audit_entries SET position = position + 100 WHERE tenant_id = $1 AND position >= $2`,
        position,
      );
      await sql(
        `UPDATE audit_entries SET position = position - 99 WHERE tenant_id = $1 AND position > 100`,
      );
      await sql(
        `INSERT INTO audit_entries SELECT tenant_id, $2, $3, at, actor_type, actor_id, source,
           action, subject_id, request_id, hash
         FROM audit_entries WHERE tenant_id = $1 AND position = 1`,
        position,
        forged,
      );
      expect(await verify()).toMatchObject({ ok: false, firstBrokenId: forged });
    });

    it('finds a chain cut short, also once more was sealed after it', async () => {
      await sql('DELETE FROM audit_entries WHERE tenant_id = $1 AND position >= 4');
      expect(await verify()).toMatchObject({ ok: false, entries: 3, firstBrokenId: null });
      await changes(1);
      expect(await verify()).toMatchObject({ ok: false, entries: 3, firstBrokenId: await idAt(6) });
    });

    it('finds a chain cut short whose head was set to match, and seals nothing on to it', async () => {
      await sql('DELETE FROM audit_entries WHERE tenant_id = $1 AND position >= 4');
      await sql(
        `UPDATE audit_heads h SET length = 3, last_hash = e.hash FROM audit_entries e
         WHERE h.tenant_id = $1 AND e.tenant_id = $1 AND e.position = 3`,
      );
      expect(await verify()).toMatchObject({ ok: false, entries: 3, firstBrokenId: null });
      const told = (): string[] => gateway.log.filter((line) => line.includes(workspace.id));
      await setSwitch(true);
      await until(() => told().length > 0);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await verify()).toMatchObject({ ok: false, entries: 3, unsealed: 1 });
      expect(told()).toHaveLength(1);
    });

    it.each([
      ['a part of the chain', 'AND position >= 4'],
      ['the whole chain', ''],
    ])('finds that %s was removed with its head', async (_what, which) => {
      await sql(`DELETE FROM audit_entries WHERE tenant_id = $1 ${which}`);
      await sql('DELETE FROM audit_heads WHERE tenant_id = $1');
      expect(await verify()).toMatchObject({ ok: false });
      await setSwitch(true);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await verify()).toMatchObject({ ok: false, unsealed: 1 });
    });

    it('goes on from a place, in steps of any length, to the same verdict', async () => {
      const verdict = await verify();
      const database = await connectAccess(gateway.database.urls.access);
      const context: Pick<Reading, 'tenantId' | 'rows'> = {
        tenantId: workspace.id,
        rows: (statement, values) => database.rows(statement, [workspace.id, ...values]),
      };
      const steps: AuditStep[] = [];
      for (let after: number | null = 0; after !== null; after = steps.at(-1)?.after ?? null) {
        const pieces = new Pieces(limits.pieces);
        const verification = { chain: new AuditChain(auditKey), pieces, after, max: 2 };
        steps.push(await verifyChain(context, verification));
      }
      await database.close();
      expect(steps.map(({ after, ok }) => [after, ok])).toEqual([
        [2, false],
        [4, false],
        [null, true],
      ]);
      expect({ ...steps.at(-1), unsealed: 0 }).toEqual({ ...verdict, after: null });
      const from = async (after: number): Promise<unknown> =>
        JSON.parse((await get(`/audit/verify?after=${after}`)).text);
      for (const after of [1, 3, 5]) expect(await from(after)).toEqual(verdict);
      expect(await from(6)).toMatchObject({ ok: false });
      await sql(`UPDATE audit_entries SET action = 'x' WHERE tenant_id = $1 AND position = 3`);
      expect(await from(2)).toMatchObject({ ok: false, firstBrokenId: await idAt(3) });
      expect(await from(3)).toMatchObject({ ok: true });
      await sql(`UPDATE audit_entries SET hash = '\\x00' WHERE tenant_id = $1 AND position = 3`);
      expect(await from(3)).toMatchObject({ ok: false, firstBrokenId: await idAt(4) });
    });

    it('counts what other services have not handed over yet, and needs them for it', async () => {
      gateway.mail.waiting = 7;
      expect(await verify()).toMatchObject({ ok: true, unsealed: 7 });
      gateway.mail.waiting = 0;
      await gateway.mailGoes();
      expect((await get('/audit/verify')).status).toBe(503);
      await gateway.mailComes();
    });

    it('finds entries of another workspace’s chain', async () => {
      const elsewhere = await gateway.workspace();
      for (const open of [true, false]) await setSwitch(open, elsewhere);
      await gateway.sealed(elsewhere);
      await sql('DELETE FROM audit_entries WHERE tenant_id = $1');
      await sql('UPDATE audit_entries SET tenant_id = $1 WHERE tenant_id = $2', elsewhere.id);
      await sql('DELETE FROM audit_heads WHERE tenant_id = $1');
      await sql('UPDATE audit_heads SET tenant_id = $1 WHERE tenant_id = $2', elsewhere.id);
      expect(await verify()).toMatchObject({ ok: false, entries: 0 });
    });

    it('lets the service itself change and remove nothing', async () => {
      const url = new URL(gateway.database.urls.access);
      const { Client } = await import('pg');
      const client = new Client({ connectionString: url.href });
      await client.connect();
      await client.query(`SET search_path = access; SET postroom.tenant = '${workspace.id}'`);
      for (const statement of [
        `UPDATE audit_entries SET action = 'x'`,
        'DELETE FROM audit_entries',
      ]) {
        expect((await client.query(statement)).rowCount).toBe(0);
      }
      await client.end();
      expect(await verify()).toMatchObject({ ok: true, entries: 5 });
    });
  });

  describe('records of other services', () => {
    const record = (over: Partial<AuditRecord> = {}): AuditRecord => ({
      id: newId('aud'),
      at: new Date().toISOString(),
      actorType: 'key',
      actorId: 'key_1',
      source: 'api',
      action: 'conversations.comment',
      subjectId: 'cnv_1',
      requestId: 'a request',
      ...over,
    });
    const internalEvent = (id: string, records: readonly AuditRecord[]) => ({
      id,
      type: 'audit.recorded' as const,
      tenantId: workspace.id,
      resource: 'audit',
      envelope: JSON.stringify({ records }),
    });

    it('are refused, all of an event, where a service files what it has not done', async () => {
      const database = await connectAccess(gateway.database.urls.access);
      const ends = new ChainEnds(
        new AuditChain(auditKey),
        createLog({ level: 'silent', format: 'json' }),
      );
      const subscribed: EventHandler[] = [];
      class SubscribedBus extends InProcessBus {
        override subscribe(...[, , handler]: Parameters<InProcessBus['subscribe']>) {
          subscribed.push(handler);
          return Promise.resolve(() => Promise.resolve());
        }
      }
      await receiveAudit(new SubscribedBus(), database, ends, () => undefined);
      const come = (publisher: ServiceName, ...actions: string[]) =>
        subscribed[0]?.({
          ...internalEvent(
            newId('evn'),
            actions.map((action) => record({ action })),
          ),
          publisher,
        });
      for (const actions of [
        ['contacts.create'],
        ['conversations.comment', 'sendSwitch.set'],
        ['webhooks.disable'],
        ['made up'],
      ]) {
        await expect(come('mail', ...actions)).rejects.toThrow(UnverifiedRecord);
      }
      await come('mail', 'conversations.comment', 'dlp.overridden', 'sends.outcome_unknown');
      await come('webhooks', 'webhooks.disable');
      await database.close();
      await gateway.sealed(workspace);
      expect((await page()).items.map(({ action }) => action).sort()).toEqual([
        ...['conversations.comment', 'dlp.overridden', 'sends.outcome_unknown'],
        'webhooks.disable',
      ]);
    });

    it('come in with their internal events, each once however often its event comes', async () => {
      const [first, second] = [
        internalEvent('aud_1', [record(), record()]),
        internalEvent('aud_2', [record()]),
      ];
      for (const each of [first, first, second]) await gateway.bus.emit([each]);
      await gateway.sealed(workspace);
      await gateway.bus.emit([first]);
      await gateway.sealed(workspace);
      expect(await verify()).toMatchObject({ ok: true, entries: 3 });
      expect((await page()).items[0]).toMatchObject({
        action: 'conversations.comment',
        actor: { type: 'key', id: 'key_1' },
        source: 'api',
        subjectId: 'cnv_1',
        requestId: 'a request',
      });
    });

    it('are sealed once, though their event comes again when the inbox has purged it', async () => {
      // The inbox has purged only events older than its seven days.
      const at = new Date(Date.now() - 8 * 24 * 3_600_000).toISOString();
      const records = [record({ at }), record({ at })];
      await gateway.bus.emit([internalEvent('aud_a', records)]);
      for (const isSealed of [false, true]) {
        if (isSealed) await gateway.sealed(workspace);
        await sql('DELETE FROM inbox WHERE tenant_id = $1');
        // With one that did not come before.
        const again = isSealed ? [...records, record({ at })] : records;
        expect(await gateway.bus.emit([internalEvent('aud_a', again)])).toMatchObject({
          stored: ['aud_a'],
        });
      }
      await gateway.sealed(workspace);
      expect(await verify()).toMatchObject({ ok: true, entries: 3, unsealed: 0 });
    });

    it('wait while their chain cannot be continued', async () => {
      await changes(1);
      await sql('DELETE FROM audit_heads WHERE tenant_id = $1');
      await gateway.bus.emit([internalEvent('aud_w', [record(), record()])]);
      expect(await verify()).toMatchObject({ ok: false, unsealed: 2 });
    });

    it('are not taken while nobody is there to seal them', async () => {
      await gateway.stop();
      expect(await gateway.bus.emit([internalEvent('aud_3', [record()])])).toMatchObject({
        stored: [],
        failure: { name: 'BusUnavailable' },
      });
      await gateway.open();
      await gateway.bus.emit([internalEvent('aud_3', [record()])]);
      await gateway.sealed(workspace);
      expect(await verify()).toMatchObject({ ok: true, entries: 1 });
    });
  });

  it('has ten refusals of a key a minute, whichever gateway refuses it', async () => {
    const key = await gateway.key(workspace, { revokedAt: new Date() });
    for (let restart = 0; restart < 3; restart++) {
      await Promise.all(Array.from({ length: 8 }, () => gateway.ask(key, '/v1/conversations')));
      await gateway.restart();
    }
    await gateway.sealed(workspace);
    const { items } = await page();
    expect(items).toHaveLength(10);
    expect(new Set(items.map(({ action }) => action))).toEqual(new Set(['key.refused']));
  });

  it('of fifty writers at once and three sealers has every record once, in one chain', async () => {
    const database = await connectAccess(gateway.database.urls.access);
    const log = createLog({ level: 'silent', format: 'json' });
    const ends = new ChainEnds(new AuditChain(auditKey), log);
    const beside = [1, 2].map(() => startSealer({ database, log, pollMs: 1, gatherMs: 1 }, ends));
    const key = await gateway.key(workspace, { revokedAt: new Date() });
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => [
        await setSwitch(i % 2 === 0),
        await gateway.settings(workspace.admin, 'POST', '/members', {
          email: `m${i}@acme.test`,
          name: 'M',
        }),
      ]),
    );
    expect(answers.flat().map(({ status }) => status)).toEqual(
      Array.from({ length: 50 }, () => [200, 201]).flat(),
    );
    await gateway.ask(key, '/v1/conversations');
    await gateway.restart();
    await gateway.sealed(workspace);
    await Promise.all(beside.map((sealer) => sealer.stop()));
    await database.close();
    expect(await verify()).toMatchObject({ ok: true, entries: 101, unsealed: 0 });
    const requests = new Set((await page('?limit=200')).items.map(({ requestId }) => requestId));
    for (const { headers } of answers.flat()) {
      expect(requests).toContain(headers['x-request-id']);
    }
    expect((await page(`?actor=${idOfKey(key)}`)).items).toMatchObject([{ action: 'key.refused' }]);
  });
});
