import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  attachments,
  conversations,
  dlpRules,
  newId,
  type Conversation,
  type CreateDlpRule,
} from '@postroom/contracts';
import { runMaintenance, type Reading } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { anAdmin } from '@postroom/service-testing';
import { always, ScriptedSmtp } from '@postroom/testing';
import { maintenanceJobs } from './mail-app.js';
import { originalPieces, pieceBytes, Stage, unstage, wholeOriginal } from './originals.js';
import { MailService, type MailboxOf } from './testing/mail-service.js';
import { Sendings } from './testing/sending.js';

let server: ScriptedSmtp;
let service: MailService;
let database: Database;
let stage: Stage;
let mailbox: MailboxOf;

beforeAll(async () => {
  server = await ScriptedSmtp.listen();
  service = await MailService.start({ OUTGOING_SMTP_URL: server.url });
  const url = service.database.urls.mail;
  database = await Database.connect({ url, schema: 'mail', entities: [] });
  stage = new Stage(url);
});

beforeEach(async () => {
  server.reset();
  mailbox = await service.mailbox();
});

afterAll(async () => {
  await stage.close();
  await database.close();
  await service.close();
  await server.close();
});

const readingOf = (tenantId: string): Pick<Reading, 'rows'> => ({
  rows: (statement, values) => database.rows(statement, [tenantId, ...values]),
});

const kept = async (raw: Buffer) => {
  const message = newId('msg');
  await stage.store({ tenantId: mailbox.tenantId, message }, raw);
  return { message, reading: readingOf(mailbox.tenantId) };
};

/** Keeps one piece more. */
const piece = (message: string, start: number): Promise<unknown> =>
  service.admin.query('SELECT stage_piece($1, $2, $3, true, $4)', [
    ...[mailbox.tenantId, message, start],
    randomBytes(9),
  ]);

/** The numbers of stored pieces of the workspace's messages, and of staged messages. */
const left = async (): Promise<number[]> => [
  await service.count('raw_messages', mailbox),
  await service.count('staged_messages', mailbox),
];

describe('a message that is staged', () => {
  it.each([1, pieceBytes, pieceBytes + 1, 3 * pieceBytes + 7])(
    'of %i bytes is read as it is, whole and any part of it',
    async (size) => {
      const raw = randomBytes(size);
      const { message, reading } = await kept(raw);
      expect((await wholeOriginal(reading, message)).equals(raw)).toBe(true);
      for (const [start, end] of [
        [0, 1],
        [size >> 1, size],
        [Math.max(0, Math.min(size, pieceBytes) - 3), Math.min(size, pieceBytes + 3)],
      ] as const) {
        const part = await buffer(originalPieces(reading, message, { start, end }));
        expect(part.equals(raw.subarray(start, end))).toBe(true);
      }
      const beyond = buffer(originalPieces(reading, message, { start: 0, end: size + 1 }));
      await expect(beyond).rejects.toThrow(`end at ${size}`);
      expect(await left()).toEqual([Math.ceil(size / pieceBytes), 1]);
    },
  );

  it('is read where it is one piece, however large, as it was once kept', async () => {
    const raw = randomBytes(2 * pieceBytes + 5);
    const message = newId('msg');
    await service.admin.query(
      `INSERT INTO raw_messages (tenant_id, message, trace, raw) VALUES ($1, $2, '', $3)`,
      [mailbox.tenantId, message, raw],
    );
    const reading = readingOf(mailbox.tenantId);
    expect((await wholeOriginal(reading, message)).equals(raw)).toBe(true);
  });

  it('is there for its own workspace alone', async () => {
    const { message } = await kept(randomBytes(9));
    const other = await service.mailbox();
    const reading = readingOf(other.tenantId);
    await expect(wholeOriginal(reading, message)).rejects.toThrow('are gone');
    await unstage(reading, message);
    expect(await left()).toEqual([1, 1]);
  });

  it('is forgotten when it does not leave, and nothing of it comes later', async () => {
    const { message, reading } = await kept(randomBytes(2 * pieceBytes));
    await unstage(reading, message);
    expect(await left()).toEqual([0, 0]);
    await expect(piece(message, 2 * pieceBytes)).rejects.toThrow('is not staged');
  });

  it('is forgotten with the piece that is just being kept', async () => {
    const { message, reading } = await kept(randomBytes(2 * pieceBytes));
    await service.admin.query('BEGIN');
    await piece(message, 2 * pieceBytes);
    const unstaging = unstage(reading, message);
    await sleep(200);
    await service.admin.query('COMMIT');
    await unstaging;
    expect(await left()).toEqual([0, 0]);
  });

  it('takes no piece that does not follow what a server that went down has kept', async () => {
    const { message } = await kept(randomBytes(pieceBytes));
    await expect(piece(message, 2 * pieceBytes)).rejects.toThrow('has a gap');
  });

  it('is forgotten after an hour when its process died, and what was kept otherwise is not', async () => {
    await service.conversation(mailbox);
    const { message } = await kept(randomBytes(2 * pieceBytes));
    const age = (interval: string): Promise<unknown> =>
      service.admin.query(
        'UPDATE staged_messages SET staged_at = now() - $2::interval WHERE message = $1',
        [message, interval],
      );
    await age('59 minutes');
    await runMaintenance(database, maintenanceJobs);
    expect(await left()).toEqual([3, 1]);
    await age('61 minutes');
    await runMaintenance(database, maintenanceJobs);
    expect(await left()).toEqual([1, 0]);
  });
});

describe('a send whose message is large', () => {
  const sendings = () => new Sendings(service);
  const file = { filename: 'plans.bin', mimeType: null, contentBase64: '' };
  // As JSON, which is what the service's answers are read as here.
  const content = JSON.stringify('plan'.repeat(150_000));
  const large = (text: string) => ({
    body: text,
    attachments: [{ ...file, contentBase64: Buffer.from(content).toString('base64') }],
  });

  it('leaves its pieces with the message, staged no more, from which its file is read', async () => {
    const { status, body } = await sendings().create(mailbox, large('plans'));
    expect(status).toBe(200);
    expect(await left()).toEqual([4, 0]);
    const { caller, address } = mailbox;
    const input = { id: body.threadId, mailbox: address };
    const found = await service.call<{ conversation: Conversation }>(conversations.get, input, {
      caller,
    });
    const id = found.body.conversation.messages[0]?.attachments[0]?.id ?? '';
    const asked = { id, mailbox: address };
    const first = await service.call(attachments.get, asked, { caller });
    const parts = await service.partsOf(mailbox, first);
    expect(Buffer.concat(parts).toString() === content).toBe(true);
    const { rows } = await service.admin.query<{ source: unknown }>(
      'SELECT source FROM attachments WHERE id = $1',
      [id],
    );
    expect(rows[0]?.source).toMatchObject({ encoding: 'base64' });
  });

  it('does not begin when its pieces are gone', async () => {
    const { tenantId, id, address } = mailbox;
    const key = [tenantId, id, 'a-key', 'a-token'];
    await service.admin.query(
      `SELECT reserve_send_within($1, $2, 'a-key', 'f', 1::smallint, 'r', 'a-token', 'm@acme.test', '1 hour',
         NULL, NULL)`,
      [tenantId, address],
    );
    const begin = (message: string): Promise<unknown> =>
      service.admin.query(
        `SELECT begin_transmission($1, $2, $3, $4, '1 hour', $5, '{}', NULL, NULL)`,
        [...key, message],
      );
    await expect(begin(newId('msg'))).rejects.toThrow('are gone');
    const { message } = await kept(randomBytes(9));
    await begin(message);
    expect(await left()).toEqual([1, 0]);
  });

  it('leaves nothing when it is blocked, or no server takes it', async () => {
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    const rule: CreateDlpRule = {
      ...{ name: 'Project', detector: 'pattern', pattern: 'Nightingale', action: 'block' },
      ...{ mailboxes: [], enabled: true },
    };
    await service.call(dlpRules.create, rule, { caller });
    const blocked = await sendings().create(mailbox, large('Nightingale'));
    expect([blocked.problem, await left()]).toEqual(['DLP_BLOCKED', [0, 0]]);
    server.script = always('mail', { reply: '451 4.3.0 later' });
    const refused = await sendings().create(mailbox, large('plans'));
    expect([refused.problem, await left()]).toEqual(['OUTGOING_UNAVAILABLE', [0, 0]]);
  });
});
