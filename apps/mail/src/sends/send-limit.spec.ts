import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sends, type SendReceipt } from '@postroom/contracts';
import { aKey, aMember } from '@postroom/service-testing';
import { Client } from 'pg';
import { MailService, type Answer, type MailboxOf } from '../testing/mail-service.js';
import { TestOutbox } from '../testing/outgoing.js';
import { aMessage, newSendKey } from '../testing/sending.js';

const limit = 10;

describe('the limit of a key’s sends', () => {
  let service: MailService;
  let outbox: TestOutbox;
  let mailbox: MailboxOf;

  beforeAll(async () => {
    outbox = await TestOutbox.start();
    service = await MailService.start({
      ...outbox.env,
      SEND_RATE_LIMIT_PER_MINUTE: String(limit),
    });
  });
  afterAll(async () => {
    await service.close();
    await outbox.close();
  });
  beforeEach(async () => {
    mailbox = await service.mailbox();
  });

  const send = (
    caller = mailbox.caller,
    idempotencyKey = newSendKey(),
    message = aMessage(),
  ): Promise<Answer<SendReceipt>> => {
    const input = { mailbox: mailbox.address, ...message };
    return service.call(sends.create, input, { caller, idempotencyKey });
  };
  /** As gateways do that do not know of each other's. */
  const atOnce = async (times: number): Promise<Answer<SendReceipt>[]> => {
    const answers = await Promise.all(Array.from({ length: times }, () => send()));
    return answers.toSorted((one, other) => one.status - other.status);
  };

  it('is kept to one, however many gateways let them through at once', async () => {
    const answers = await atOnce(2 * limit);
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array<number>(limit).fill(200),
      ...Array<number>(limit).fill(429),
    ]);
    const { problem, headers } = answers.at(-1) as Answer<SendReceipt>;
    expect(problem).toBe('RATE_LIMITED');
    expect(headers).toMatchObject({ 'x-ratelimit-remaining': '0' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(59);
    expect(await service.count('send_reservations', mailbox)).toBe(limit);
  });

  it('does not count repeats, which are answered beyond it too', async () => {
    const [key, message] = [newSendKey(), aMessage()];
    const first = await send(mailbox.caller, key, message);
    await atOnce(limit);
    expect((await send()).status).toBe(429);
    const again = await send(mailbox.caller, key, message);
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it('is each key’s own, and none of a member', async () => {
    await atOnce(limit);
    const { tenantId } = mailbox;
    expect((await send()).status).toBe(429);
    expect((await send(aKey({ tenantId }))).status).toBe(200);
    expect((await send(aMember({ tenantId }))).status).toBe(200);
  });

  it('has room again when the first is a minute old', async () => {
    await atOnce(limit);
    await service.rows(
      `UPDATE send_reservations SET created_at = created_at - interval '1 minute'
       WHERE tenant_id = $1 AND idempotency_key = (
         SELECT min(idempotency_key) FROM send_reservations WHERE tenant_id = $1)`,
      [mailbox.tenantId],
    );
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(429);
  });

  it('is found by an index, under the policy of the workspace', async () => {
    const client = new Client({ connectionString: service.database.urls.mail });
    await client.connect();
    await client.query('SET search_path = mail; SET enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT created_at FROM send_reservations r
       WHERE r.tenant_id = 't' AND r.api_key = 'k' AND r.created_at > now() - interval '59 seconds'
       ORDER BY r.created_at DESC OFFSET 9 LIMIT 1`,
    );
    await client.end();
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Scan Backward using send_reservations_of_key/);
    expect(plan).toMatch(/Index Cond: .*created_at >/);
  });
});
