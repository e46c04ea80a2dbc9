// tags: own
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProductProcess, startProduct } from './product-process.js';
import { StoredRows } from './stored-rows.js';
import { type OwnKey, Workplace } from './workplace.js';
import { itemsOf, recordOf } from './wire.js';

interface Manifest {
  readonly workspace: { readonly id: string; readonly name: string };
  readonly files: readonly { path: string; records: number; bytes: number; sha256: string }[];
}

/** The data of one workspace, on a product of its own that the operator's commands reach. */
describe('the data of a workspace', () => {
  let folder: string;
  let running: ProductProcess;
  let acme: Workplace;
  let mailbox: string;
  let api: OwnKey;
  const subject = 'From here on, é and 漢';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-export-'));
    running = await startProduct();
    acme = await Workplace.open('acme', running.product);
    mailbox = await acme.mailbox();
    const scopes = ['conversations', 'contacts', 'calendar', 'tasks'];
    api = await acme.keyFor(mailbox, {
      scopes: scopes.flatMap((what) => [`read:${what}`, `write:${what}`]),
      member: acme.tenant.member.email,
    });
    await acme.receive(api, mailbox, { subject, text: 'Hello\n\nFrom me\n>From you\n' });
    const { book } = recordOf(await acme.settings.post('/address-books', { name: 'Clients / 1' }));
    const { id: bookId } = book as { id: string };
    const emails = [{ value: 'zoe@correspondent.example' }];
    await api.post('/v1/contacts', { bookId, displayName: 'Zoé', emails });
    await api.post('/v1/tasks', { title: 'Call Zoé' });
    const { calendar } = recordOf(await api.post('/v1/calendars', { name: 'Visits' }));
    const { id: calendarId } = calendar as { id: string };
    const times = { startMs: 1_800_000_000_000, endMs: 1_800_003_600_000 };
    await api.post('/v1/calendar-events', { calendarId, title: 'Visit of Zoé', ...times });
  });
  afterAll(async () => {
    await running.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const exported = async (to: string): Promise<Manifest> => {
    const done = await running.command('workspace', 'export', '--name', 'acme', '--to', to);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(await readFile(join(to, 'manifest.json'), 'utf8')) as Manifest;
  };

  it('is exported in open formats, with counts and digests, and without another workspace’s', async () => {
    const to = join(folder, 'one');
    const { workspace, files } = await exported(to);
    expect(workspace.name).toBe('acme');
    const texts = new Map<string, string>();
    for (const { path, sha256, bytes, records } of files) {
      const data = await readFile(join(to, path));
      expect({ path, bytes, sha256 }).toEqual({
        ...{ path, bytes: data.length },
        sha256: createHash('sha256').update(data).digest('hex'),
      });
      if (path.endsWith('.ndjson')) {
        const rows = data.toString().trimEnd().split('\n');
        expect({ path, rows: rows.length }).toEqual({ path, rows: records });
        for (const row of rows) {
          const { tenant_id: tenantId } = JSON.parse(row) as { tenant_id?: string };
          expect({ path, tenantId }).toEqual({ path, tenantId: workspace.id });
        }
      }
      texts.set(path, data.toString());
    }
    const all = [...texts.values()].join('');
    const textOf = (pattern: RegExp): string =>
      [...texts].flatMap(([path, text]) => (pattern.test(path) ? text : [])).join('');
    expect(texts.get(`mail/${mailbox}.mbox`)).toMatch(
      /^From postroom [^]*\n>From me\r?\n>>From you/,
    );
    expect(textOf(/\.vcf$/)).toMatch(/BEGIN:VCARD[^]*FN:Zoé[^]*zoe@correspondent\.example/);
    expect(textOf(/\.ics$/)).toMatch(/SUMMARY:Visit of Zoé/);
    expect(texts.get('scheduling/tasks.ndjson')).toContain('Call Zoé');
    expect(texts.get('mail/conversations.ndjson')).toContain(subject);
    expect(texts.get('access/audit_entries.ndjson')).toContain('contacts.create');
    expect(all).not.toMatch(/secret_hash|password_hash|sealed|token_hash/);
    expect(all).not.toContain('globex.test');
  });

  it('has mail that Python’s mailbox reads as it came', async () => {
    const python = `
import mailbox, sys
box = mailbox.mbox(sys.argv[1], create=False)
print(len(box), [m.get_payload(decode=True).decode() for m in box][-1])`;
    const file = join(folder, 'one', 'mail', `${mailbox}.mbox`);
    const { stdout } = await promisify(execFile)('python3', ['-c', python, file]).catch(() => ({
      stdout: null,
    }));
    // Without Python, the test before is all the proof there is.
    if (stdout !== null) expect(stdout).toMatch(/^1 Hello/);
  });

  it('is the same once its mail is imported into another mailbox', async () => {
    const other = await acme.mailbox();
    const boxes = itemsOf(await acme.settings.get('/mailboxes')) as {
      id: string;
      address: string;
    }[];
    const id = boxes.find(({ address }) => address === other)?.id ?? '';
    const file = await readFile(join(folder, 'one', 'mail', `${mailbox}.mbox`), 'utf8');
    const headers = { 'Content-Type': 'application/mbox' };
    await acme.settings.request('POST', `/mailboxes/${id}/import`, file, headers);
    const key = await acme.keyFor(other);
    const { conversations } = recordOf(await key.get('/v1/conversations', { mailbox: other }));
    expect(conversations).toEqual([expect.objectContaining({ subject })]);
  });

  it('is not exported over something, of nobody, or without a name', async () => {
    const to = join(folder, 'one');
    const command = (...args: string[]) => running.command('workspace', 'export', ...args);
    expect(await command('--name', 'acme', '--to', to)).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('is not empty') },
    });
    expect(await command('--name', 'nobody', '--to', join(folder, 'two'))).toMatchObject({
      ...{ code: 1, stderr: 'There is no workspace named "nobody".\n' },
    });
    expect(await command('--name', 'acme')).toMatchObject({ code: 1 });
  });

  it('is exported whole while it is written', async () => {
    const writing = Promise.all(
      Array.from({ length: 30 }, (_, i) => api.post('/v1/tasks', { title: `Task ${i}` })),
    );
    const { files } = await exported(join(folder, 'three'));
    await writing;
    expect(files.find(({ path }) => path === 'scheduling/tasks.ndjson')?.records).toBeGreaterThan(
      0,
    );
  });

  it('is gone once it is deleted, but for what the report tells; another workspace is not', async () => {
    const remove = (confirm: string) =>
      running.command('workspace', 'delete', '--name', 'acme', '--confirm', confirm);
    expect(await remove('globex')).toMatchObject({ code: 1 });
    expect((await api.get('/v1/me')).status).toBe(200);

    const { code, stdout, stderr } = await remove('acme');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const report = JSON.parse(stdout) as {
      workspace: { id: string };
      removed: Record<string, number>;
      audit: { length: number; lastHash: string; entries: Record<string, number> };
    };
    expect(report.removed).toMatchObject({
      'access.tenants': 1,
      'directory.contacts': expect.any(Number),
    });
    expect(report.audit.length).toBeGreaterThan(0);
    expect(report.audit.lastHash).toMatch(/^[0-9a-f]{64}$/);
    expect(report.audit.entries['contacts.create']).toBeGreaterThan(0);
    expect(JSON.stringify(report)).not.toContain('correspondent.example');

    expect((await api.get('/v1/me')).status).toBe(401);
    const stored = await StoredRows.of(running.demoFile);
    const rows = await stored.snapshot();
    await stored.close();
    const left = rows.filter(({ start }) => start.includes(report.workspace.id));
    expect(left).toEqual([]);
    const globex = await Workplace.open('globex', running.product);
    expect((await globex.settings.get('/workspace')).status).toBe(200);
    const again = await remove('acme');
    expect(again).toMatchObject({ code: 1, stderr: 'There is no workspace named "acme".\n' });
  });
});
