import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  drafts,
  importSteps,
  mailboxes,
  type AttachedFile,
  type BegunImport,
  type DraftAnswer,
  type Quotas,
} from '@postroom/contracts';
import { Database } from '@postroom/persistence';
import { anAdmin } from '@postroom/service-testing';
import { Deliveries } from './testing/arrivals.js';
import { MailService, type Answer, type MailboxOf } from './testing/mail-service.js';
import { TestOutbox } from './testing/outgoing.js';
import { Sendings } from './testing/sending.js';
import { SmtpDialogue } from './testing/smtp-dialogue.js';

const written = (text: string): string =>
  Buffer.from(`Message-ID: <${randomUUID()}@x.test>\r\n\r\n${text}\r\n`).toString('base64');
const file = (bytes: number): AttachedFile => ({
  filename: 'a.txt',
  mimeType: 'text/plain',
  contentBase64: Buffer.alloc(bytes, 'a').toString('base64'),
});

/** The actions of a workspace that are counted. */
class Workspace {
  constructor(
    private readonly service: MailService,
    readonly mailbox: MailboxOf,
  ) {}

  static async of(service: MailService): Promise<Workspace> {
    return new Workspace(service, await service.mailbox());
  }

  get admin() {
    return { caller: anAdmin({ tenantId: this.mailbox.tenantId }) };
  }

  async usage(): Promise<Quotas> {
    return (await this.service.usage(this.admin.caller)) as Quotas;
  }

  /** The counted bytes, and the stored ones. */
  async bytes(): Promise<[counted: number, stored: number]> {
    const { rows } = await this.service.admin.query<{ stored: number }>(
      `SELECT coalesce(sum(bytes), 0)::float8 AS stored FROM (
         SELECT octet_length(raw) AS bytes FROM raw_messages WHERE tenant_id = $1
         UNION ALL SELECT octet_length(bytes) FROM draft_file_pieces WHERE tenant_id = $1
         UNION ALL SELECT octet_length(name) + octet_length(key) FROM labels WHERE tenant_id = $1
         UNION ALL SELECT amount FROM quota_counters WHERE tenant_id = $1 AND quota = 'recordedBytes') b`,
      [this.mailbox.tenantId],
    );
    return [(await this.usage()).storedBytes.used, rows[0]?.stored ?? Number.NaN];
  }

  draft(attachments: AttachedFile[], id?: string): Promise<Answer<DraftAnswer>> {
    const { address: mailbox, caller } = this.mailbox;
    const input = { mailbox, draft: { attachments } };
    return id === undefined
      ? this.service.call(drafts.create, input, { caller })
      : this.service.call(drafts.update, { id, ...input }, { caller });
  }

  async begin(): Promise<Answer<BegunImport>> {
    const input = { mailboxId: this.mailbox.id };
    return this.service.call(importSteps.begin, input, this.admin);
  }

  take(id: string, ...messages: readonly string[]): Promise<Answer> {
    const input = { id, first: 0, messages: [...messages], bytesRead: 1 };
    return this.service.call(importSteps.take, input, this.admin);
  }

  /** The server's reply to a message for the mailbox, and the command it answers. */
  async mail(bytes: number, port = this.service.smtpPort): Promise<string> {
    const smtp = await SmtpDialogue.open(port);
    try {
      await smtp.say('EHLO correspondent.example');
      await smtp.say('MAIL FROM:<camille@correspondent.example>');
      const admitted = await smtp.say(`RCPT TO:<${this.mailbox.address}>`);
      if (!admitted.startsWith('250')) return `RCPT ${admitted}`;
      await smtp.say('DATA');
      return `DATA ${await smtp.say(`Subject: ${randomUUID()}\r\n\r\n${'x'.repeat(bytes)}\r\n.`)}`;
    } finally {
      smtp.close();
    }
  }
}

const isEqual = ([counted, stored]: readonly [number, number]): void => {
  expect(counted).toBe(stored);
};

describe('the bytes that a workspace stores', () => {
  let service: MailService;
  let outbox: TestOutbox;
  let database: Database;

  beforeAll(async () => {
    outbox = await TestOutbox.start();
    service = await MailService.start(outbox.env);
    const url = service.database.urls.mail;
    database = await Database.connect({ url, schema: 'mail', entities: [] });
  });
  afterAll(async () => {
    await database.close();
    await service.close();
    await outbox.close();
  });

  const run = async (job: string): Promise<void> => {
    const text = `SELECT ${job}() AS purged`;
    for (let purged = '1'; purged !== '0';) {
      const [row] = await database.rows<{ purged: string }>({ name: `spec.${job}`, text }, []);
      purged = row?.purged ?? '0';
    }
  };

  it('are those of mail that came, left and was imported, and of files of drafts', async () => {
    const one = await Workspace.of(service);
    expect(await one.mail(1_000)).toMatch(/^DATA 250/);
    expect((await one.usage()).arrivingBytes.used).toBe((await one.bytes())[1]);
    isEqual(await one.bytes());
    const { id } = (await one.begin()).body;
    const copy = written('copy');
    expect((await one.take(id, written('one'), copy, copy)).status).toBe(200);
    isEqual(await one.bytes());
    const arrived = (await one.usage()).arrivingBytes.used;
    expect((await new Sendings(service).create(one.mailbox)).status).toBe(200);
    const large = { attachments: [file(300_000)] };
    expect((await new Sendings(service).create(one.mailbox, large)).status).toBe(200);
    isEqual(await one.bytes());
    const { draft } = (await one.draft([file(5_000), file(50)])).body;
    isEqual(await one.bytes());
    await one.draft([file(7)], draft.id);
    isEqual(await one.bytes());
    const before = (await one.bytes())[0];
    const named = { id: draft.id, mailbox: one.mailbox.address };
    await service.call(drafts.remove, named, { caller: one.mailbox.caller });
    expect(await one.bytes()).toEqual([before - 7, before - 7]);
    expect((await one.usage()).arrivingBytes.used).toBe(arrived);
  });

  it('are those of labels, whose spelling may change', async () => {
    const one = await Workspace.of(service);
    const of = [one.mailbox.tenantId, one.mailbox.id];
    for (const [change, bytes] of [
      [`INSERT INTO labels (tenant_id, mailbox_id, key, name) VALUES ($1, $2, 'k', 'k')`, 2],
      [`UPDATE labels SET name = '\u212a' WHERE tenant_id = $1 AND mailbox_id = $2`, 4],
      ['DELETE FROM labels WHERE tenant_id = $1 AND mailbox_id = $2', 0],
    ] as const) {
      await service.admin.query(change, of);
      expect(await one.bytes()).toEqual([bytes, bytes]);
    }
  });

  it('are none once a mailbox was purged, and those of sends that were refused', async () => {
    const one = await Workspace.of(service);
    await one.mail(1_000);
    await one.draft([file(100)]);
    const to = [{ email: 'camille@correspondent.example', name: null }];
    const refused = await new Sendings(service).create(one.mailbox, { to, signatureId: 'sig_x' });
    expect(refused.status).not.toBe(200);
    isEqual(await one.bytes());
    await service.call(mailboxes.remove, { id: one.mailbox.id }, one.admin);
    expect((await one.bytes())[0]).toBeGreaterThan(1_000);
    await service.admin.query(
      `UPDATE mailboxes SET deleted_at = now() - interval '31 days' WHERE tenant_id = $1`,
      [one.mailbox.tenantId],
    );
    await run('purge_mailboxes');
    expect(await one.bytes()).toEqual([0, 0]);
    expect((await one.usage()).drafts.used).toBe(0);
  });

  it('are counted for whom they are when what was staged expires', async () => {
    const both = [await Workspace.of(service), await Workspace.of(service)];
    for (const { mailbox } of both) {
      const stage = `SELECT set_config('postroom.tenant', $1, false),
        stage_piece($1, $2, 0, true, decode(repeat('ab', 500), 'hex'))`;
      await service.admin.query(stage, [mailbox.tenantId, `msg_${randomUUID()}`]);
    }
    for (const one of both) expect(await one.bytes()).toEqual([500, 500]);
    await service.admin.query(`UPDATE staged_messages SET staged_at = now() - interval '2 hours'`);
    await run('purge_staged');
    for (const one of both) expect(await one.bytes()).toEqual([0, 0]);
  });

  it('are right when many come at once, copies among them', async () => {
    const one = await Workspace.of(service);
    const deliveries = await Deliveries.open(service.database.urls.mail);
    const texts = Array.from({ length: 120 }, (_, n) => `text ${n % 80}`);
    await Promise.all(
      texts.map((text) => deliveries.deliver(one.mailbox, { text, messageId: `${text}@x.test` })),
    );
    await deliveries.close();
    isEqual(await one.bytes());
    expect((await one.usage()).arrivingBytes.used).toBe((await one.bytes())[0]);
  });

  it('leave out what a server that went down had begun', async () => {
    const one = await Workspace.of(service);
    await one.mail(100);
    await service.admin.query(`
      CREATE FUNCTION go_down() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE TRIGGER go_down AFTER INSERT ON search_documents FOR EACH ROW
      WHEN (NEW.tenant_id = '${one.mailbox.tenantId}') EXECUTE FUNCTION go_down();
      ALTER FUNCTION go_down SECURITY DEFINER`);
    expect(await one.mail(9_000)).toMatch(/^DATA 451 4\.3\.0 /);
    await service.admin.query('DROP FUNCTION go_down CASCADE');
    const [counted, stored] = await one.bytes();
    expect([counted, (await one.usage()).arrivingBytes.used]).toEqual([stored, stored]);
    expect(await one.mail(9_000)).toMatch(/^DATA 250/);
    isEqual(await one.bytes());
  });
});

describe('a workspace that has no room', () => {
  let service: MailService;

  beforeAll(async () => {
    service = await MailService.start({ QUOTA_STORED_BYTES: '20000', LMTP_PORT: '0' });
  });
  afterAll(() => service.close());

  const isRefused = { status: 409, problem: 'QUOTA_EXCEEDED' };
  /** Fills it but for some hundred bytes. */
  const full = async (): Promise<Workspace> => {
    const one = await Workspace.of(service);
    const said = [await one.mail(9_500), await one.mail(9_500)];
    expect(said).toEqual(Array(2).fill(expect.stringMatching(/^DATA 250/)));
    return one;
  };

  it('has mail wait with its sender, until there is room, and others none', async () => {
    const one = await full();
    const before = await one.bytes();
    expect(await one.mail(2_000)).toMatch(/^DATA 452 4\.2\.2 /);
    expect(await one.bytes()).toEqual(before);
    const { draft } = (await one.draft([file(20_000 - before[0])])).body;
    expect(await one.mail(1)).toMatch(/^RCPT 452 4\.2\.2 /);
    expect(await (await Workspace.of(service)).mail(2_000)).toMatch(/^DATA 250/);
    const named = { id: draft.id, mailbox: one.mailbox.address };
    await service.call(drafts.remove, named, { caller: one.mailbox.caller });
    expect(await one.mail(100)).toMatch(/^DATA 250/);
  });

  it('holds nobody up who has the same message by LMTP', async () => {
    const [one, other] = [await full(), await Workspace.of(service)];
    const lmtp = await SmtpDialogue.open(service.lmtpPort);
    await lmtp.say('LHLO relay.example');
    await lmtp.say('MAIL FROM:<camille@correspondent.example>');
    for (const { mailbox } of [one, other]) await lmtp.say(`RCPT TO:<${mailbox.address}>`);
    await lmtp.say('DATA');
    const first = await lmtp.say(`Subject: both\r\n\r\n${'x'.repeat(2_000)}\r\n.`);
    expect([first, await lmtp.reply()]).toEqual([
      expect.stringMatching(/^452 4\.2\.2 /),
      expect.stringMatching(/^250 /),
    ]);
    lmtp.close();
  });

  it('refuses files of drafts, imports and sends, and says so', async () => {
    const one = await full();
    expect(await one.draft([file(5_000)])).toMatchObject(isRefused);
    expect((await one.draft([])).status).toBe(201);
    const { id } = (await one.begin()).body;
    expect(await one.take(id, written('x'.repeat(2_000)))).toMatchObject(isRefused);
    const sendings = new Sendings(service);
    const idempotencyKey = `key-${randomUUID()}`;
    const large = { body: 'x'.repeat(2_000) };
    for (let time = 0; time < 2; time++) {
      const answer = await sendings.create(one.mailbox, large, { idempotencyKey });
      expect(answer).toMatchObject(isRefused);
    }
    isEqual(await one.bytes());
    await one.draft([file(20_000 - (await one.bytes())[0])]);
    await service.call(importSteps.end, { id, state: 'failed', bytesRead: 1 }, one.admin);
    expect(await one.begin()).toMatchObject(isRefused);
  });
});

describe('the bytes that arrive for a workspace', () => {
  it('are refused beyond its quota of a day, and counted anew on the next', async () => {
    const service = await MailService.start({ QUOTA_ARRIVING_BYTES: '5000' });
    try {
      const one = await Workspace.of(service);
      expect(await one.mail(3_000)).toMatch(/^DATA 250/);
      expect(await one.mail(3_000)).toMatch(/^DATA 452 4\.2\.2 /);
      const { arrivingBytes } = await one.usage();
      expect(arrivingBytes).toEqual({ limit: 5_000, used: (await one.bytes())[1] });
      const { id } = (await one.begin()).body;
      expect((await one.take(id, written('x'.repeat(9_000)))).status).toBe(200);
      await service.admin.query(
        `UPDATE quota_counters SET day = day - 2 WHERE quota = 'arrivingBytes'`,
      );
      expect((await one.usage()).arrivingBytes.used).toBe(0);
      expect(await one.mail(3_000)).toMatch(/^DATA 250/);
      await service.admin.query('SELECT purge_arrivals()');
      const { rows } = await service.admin.query<{ day: string }>(
        `SELECT DISTINCT day = quota_day() AS today FROM quota_counters WHERE quota = 'arrivingBytes'`,
      );
      expect(rows).toEqual([{ today: true }]);
    } finally {
      await service.close();
    }
  });
});
