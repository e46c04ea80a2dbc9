import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { dlpRules, mailboxes, newId, unknownSends, type CreateDlpRule } from '@postroom/contracts';
import { anAdmin } from '@postroom/service-testing';
import { always, first, ScriptedSmtp } from '@postroom/testing';
import { MailService, type MailboxOf } from '../testing/mail-service.js';
import { aMessage, newSendKey, Sendings } from '../testing/sending.js';

let server: ScriptedSmtp;
let service: MailService;
let sendings: Sendings;
let mailbox: MailboxOf;

beforeAll(async () => {
  server = await ScriptedSmtp.listen();
  service = await MailService.start({
    OUTGOING_SMTP_URL: server.url,
    SEND_SETTLE_INTERVAL: '100ms',
  });
  sendings = new Sendings(service);
});

beforeEach(async () => {
  server.reset();
  mailbox = await service.mailbox();
});

afterAll(async () => {
  await service.close();
  await server.close();
});

/** Changes the reservation of a key behind the service's back. */
const tamper = (key: string, change: string): Promise<unknown> =>
  service.admin.query(`UPDATE send_reservations SET ${change} WHERE idempotency_key = $1`, [key]);

const stateOf = async (key: string): Promise<unknown> => {
  const { rows } = await service.admin.query<{ state: string }>(
    'SELECT state FROM send_reservations WHERE idempotency_key = $1',
    [key],
  );
  return rows[0]?.state;
};

/** Leaves a send as a process does that dies at once after a step. */
async function abandoned(state: 'reserved' | 'transmitting') {
  const idempotencyKey = newSendKey();
  const given = aMessage();
  await sendings.create(mailbox, given, { idempotencyKey });
  await service.restart();
  server.reset();
  await service.admin.query('DELETE FROM search_documents; DELETE FROM messages;');
  const outgoing = {
    ...{ message: 'msg_00000000000000000000000000', conversationId: null },
    ...{ to: given.to, cc: [], bcc: [], sentAt: '2026-01-01T00:00:00.000Z' },
    ...{ actor: { type: 'key', id: 'key_1' }, source: 'api', operation: 'sends.create' },
    ...{ requestId: 'abandoned', dlpStatus: 'ok' },
  };
  await tamper(
    idempotencyKey,
    `state = '${state}', receipt = NULL, lease_until = now() - interval '1 second',
     token = 'dead', outgoing = '${JSON.stringify(outgoing)}'`,
  );
  return { idempotencyKey, given };
}

describe('a reservation', () => {
  it('that nothing can be compared with is not verifiable', async () => {
    for (const change of ['fingerprint = NULL', 'fingerprint_version = 0']) {
      const idempotencyKey = newSendKey();
      const given = aMessage();
      await sendings.create(mailbox, given, { idempotencyKey });
      await service.restart();
      await tamper(idempotencyKey, change);
      expect(await sendings.create(mailbox, given, { idempotencyKey })).toMatchObject({
        status: 409,
        problem: 'IDEMPOTENCY_KEY_UNVERIFIABLE',
        headers: { 'x-svc-idempotency': 'key-unverifiable' },
        body: {
          fields: { code: 'IDEMPOTENCY_KEY_UNVERIFIABLE', idempotencyKeyUnverifiable: true },
        },
      });
    }
  });

  it('whose process died before the message could leave is taken over', async () => {
    const { idempotencyKey, given } = await abandoned('reserved');
    expect(await sendings.create(mailbox, given, { idempotencyKey })).toMatchObject({
      status: 200,
      body: { receiptSource: 'smtp' },
    });
    expect(server.taken).toHaveLength(1);
  });

  it('whose process lives is not', async () => {
    const { idempotencyKey, given } = await abandoned('reserved');
    await tamper(idempotencyKey, `lease_until = now() + interval '1 minute'`);
    expect(await sendings.create(mailbox, given, { idempotencyKey })).toMatchObject({
      status: 409,
      body: { fields: { duplicate: true, outcomeUnknown: false } },
    });
  });

  it('is waited for by the same request, which the bus may deliver to two processes', async () => {
    server.script = always('dot', { afterMs: 500 });
    const { bus } = service;
    const requests: Parameters<typeof bus.request>[] = [];
    const request = bus.request.bind(bus);
    bus.request = (...asked) => {
      requests.push(asked);
      return request(...asked);
    };
    const idempotencyKey = newSendKey();
    const first = sendings.create(mailbox, aMessage(), { idempotencyKey });
    while (!server.moments.some(({ stage }) => stage === 'dot')) await sleep(5);
    const [asked] = requests;
    bus.request = request;
    if (!asked) throw new Error('nothing was asked');
    const again = await bus.request(...asked);
    expect([again.status, (await first).status]).toEqual([200, 200]);
    expect(again.headers).not.toHaveProperty('x-svc-idempotency');
    expect(server.taken).toHaveLength(1);
  });

  it('whose process died while it transmitted is unknown, which the audit has', async () => {
    const { idempotencyKey, given } = await abandoned('transmitting');
    expect(await sendings.create(mailbox, given, { idempotencyKey })).toMatchObject({
      status: 409,
      body: { fields: { duplicate: true, outcomeUnknown: true } },
    });
    expect(await stateOf(idempotencyKey)).toBe('unknown');
    expect(server.taken).toEqual([]);
    expect(await service.audit(mailbox)).toContainEqual(
      expect.objectContaining({ action: 'sends.outcome_unknown', actorType: 'system' }),
    );
  });

  describe('whose outcome is unknown', () => {
    /** Leaves one that has left, as far as its server knows. @returns its message */
    const unknownSend = async (idempotencyKey: string): Promise<string> => {
      const given = aMessage();
      const { body } = await sendings.create(mailbox, given, { idempotencyKey });
      const outgoing = {
        ...{ message: body.id, conversationId: null, to: given.to, cc: [], bcc: [] },
        ...{ sentAt: '2026-01-01T00:00:00.000Z', actor: { type: 'key', id: 'key_1' } },
        ...{ source: 'api', operation: 'sends.create', requestId: 'lost', dlpStatus: 'ok' },
      };
      await service.admin.query('DELETE FROM search_documents; DELETE FROM messages;');
      await tamper(
        idempotencyKey,
        `state = 'unknown', receipt = NULL, lease_until = now() + interval '1 hour',
         said = '{"reason": "the process ended"}', outgoing = '${JSON.stringify(outgoing)}'`,
      );
      return body.id;
    };
    const settle = (id: string, outcome: 'sent' | 'failed') => {
      const caller = anAdmin({ tenantId: mailbox.tenantId });
      // The first starts the thread that reads the message.
      const options = { caller, timeoutMs: 50_000 };
      return service.call(unknownSends.settle, { id, outcome }, options);
    };

    it('is listed, and settled by an administrator who has found out: as sent', async () => {
      const idempotencyKey = newSendKey();
      const id = await unknownSend(idempotencyKey);
      const caller = anAdmin({ tenantId: mailbox.tenantId });
      const { body } = await service.call(unknownSends.list, { state: 'unknown' }, { caller });
      expect(body).toMatchObject({
        total: 1,
        items: [{ id, mailbox: mailbox.address, idempotencyKey, reason: 'the process ended' }],
      });
      const answers = await Promise.all([settle(id, 'sent'), settle(id, 'sent')]);
      expect(answers.map(({ status }) => status)).toContain(200);
      expect(await stateOf(idempotencyKey)).toBe('sent');
      expect(await service.count('messages', mailbox)).toBe(1);
      expect(await service.audit(mailbox)).toContainEqual(
        expect.objectContaining({ action: 'unknownSends.settle', subjectId: id }),
      );
      expect(await settle(id, 'failed')).toMatchObject({ problem: 'SEND_NOT_FOUND' });
    });

    it('is settled as failed, which frees its key and stores nothing', async () => {
      const idempotencyKey = newSendKey();
      const id = await unknownSend(idempotencyKey);
      expect(await settle(id, 'failed')).toMatchObject({ status: 200 });
      expect(await stateOf(idempotencyKey)).toBe('failed');
      expect(await service.count('messages', mailbox)).toBe(0);
      const stranger = anAdmin();
      const foreign = { id: await unknownSend(newSendKey()), outcome: 'sent' } as const;
      const answer = await service.call(unknownSends.settle, foreign, { caller: stranger });
      expect(answer.problem).toBe('SEND_NOT_FOUND');
    });
  });

  it('is believed dead by everybody while it is looked after', async () => {
    const idempotencyKey = newSendKey();
    await sendings.create(mailbox, aMessage(), { idempotencyKey });
    await service.admin.query('BEGIN');
    await tamper(idempotencyKey, `state = 'transmitting', lease_until = now() - interval '1 hour'`);
    await service.admin.query('SELECT take_open_sends(50)');
    // A transaction that began a moment before compares with its own now().
    const { rows } = await service.admin.query<{ dead: boolean }>(
      `SELECT lease_until < now() - interval '0.5 seconds' AS dead FROM send_reservations
       WHERE idempotency_key = $1`,
      [idempotencyKey],
    );
    await service.admin.query('ROLLBACK');
    expect(rows).toEqual([{ dead: true }]);
  });

  it('is deleted after seven days, but not an unknown one', async () => {
    const [sent, unknown] = [newSendKey(), newSendKey()];
    for (const idempotencyKey of [sent, unknown]) {
      await sendings.create(mailbox, {}, { idempotencyKey });
      await tamper(idempotencyKey, `expires_at = now() - interval '1 second'`);
    }
    await tamper(unknown, `state = 'unknown'`);
    await service.admin.query('SELECT purge_sends()');
    expect([await stateOf(sent), await stateOf(unknown)]).toEqual([undefined, 'unknown']);
  });

  it('that was refused is told again to the same request of the bus, and free to another', async () => {
    const { rows } = await service.admin.query<{ taken: boolean }>(
      `SELECT set_config('postroom.tenant', $1, false);`,
      [mailbox.tenantId],
    );
    expect(rows).toHaveLength(1);
    const reserve = async (request: string): Promise<unknown> => {
      const answer = await service.admin.query<{ taken: boolean }>(
        `SELECT taken FROM reserve_send_within($1, $2, 'a-key-of-the-bus', 'f', 1::smallint,
           $3, $3, 'm@acme.test', interval '1 minute', NULL, NULL)`,
        [mailbox.tenantId, mailbox.address, request],
      );
      return answer.rows[0]?.taken;
    };
    expect(await reserve('req_1')).toBe(true);
    await tamper('a-key-of-the-bus', `state = 'failed'`);
    expect(await reserve('req_1')).toBe(false);
    expect(await reserve('req_2')).toBe(true);
  });
});

describe('a message that cannot be made now', () => {
  it('is refused and has failed, which leaves the key to another request', async () => {
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    const dkim = { selector: 'mail', privateKey: 'no key' };
    await service.call(mailboxes.update, { id: mailbox.id, dkim }, { caller });
    const idempotencyKey = newSendKey();
    const refused = await sendings.create(mailbox, {}, { idempotencyKey });
    expect(refused).toMatchObject({ status: 503, problem: 'OUTGOING_REFUSED' });
    expect(refused.headers).toMatchObject({ 'retry-after': '600' });
    expect(refused.text).not.toContain('outcomeUnknown');
    expect(await stateOf(idempotencyKey)).toBe('failed');
    const { rows } = await service.admin.query<{ said: unknown }>(
      'SELECT said FROM send_reservations WHERE idempotency_key = $1',
      [idempotencyKey],
    );
    expect(rows).toMatchObject([{ said: { kind: 'mailbox' } }]);
    await service.call(mailboxes.update, { id: mailbox.id, dkim: null }, { caller });
    expect((await sendings.create(mailbox, {}, { idempotencyKey })).status).toBe(200);
    expect(server.taken).toHaveLength(1);
  });
});

describe('an event that cannot be queued', () => {
  it('leaves the send as it is: the receipt says so, and it never comes', async () => {
    await service.admin.query(`
      CREATE FUNCTION refuse_sent() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.type = 'message.sent' THEN RAISE 'the queue is full'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse_sent BEFORE INSERT ON outbox
        FOR EACH ROW EXECUTE FUNCTION refuse_sent();`);
    const idempotencyKey = newSendKey();
    const given = aMessage();
    const first = await sendings.create(mailbox, given, { idempotencyKey });
    await service.admin.query('DROP TRIGGER refuse_sent ON outbox; DROP FUNCTION refuse_sent');
    expect(first).toMatchObject({ status: 200, body: { webhookDeferred: true } });
    const again = await sendings.create(mailbox, given, { idempotencyKey });
    expect(again.text).toBe(first.text);
    expect(await service.count('messages', mailbox)).toBe(1);
    const next = await sendings.create(mailbox, { threadId: first.body.threadId });
    expect(next.body).not.toHaveProperty('webhookDeferred');
    const events = await service.events(mailbox);
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([['message.sent', 1]]);
  });
});

describe('data-loss prevention', () => {
  const rule = (action: 'warn' | 'block', name = 'Project'): Promise<unknown> => {
    const given: CreateDlpRule = {
      ...{ name, detector: 'pattern', pattern: 'Nightingale', action },
      ...{ mailboxes: [], enabled: true },
    };
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    return service.call(dlpRules.create, given, { caller });
  };
  const secret = (): ReturnType<typeof aMessage> => aMessage({ body: 'It is Nightingale.' });

  it('warns: nothing leaves, no reservation stays, and the token sends it', async () => {
    await rule('warn');
    const idempotencyKey = newSendKey();
    const given = secret();
    const warned = await sendings.create(mailbox, given, { idempotencyKey });
    expect(warned).toMatchObject({ status: 409, problem: 'DLP_WARNING' });
    // A key is told no more than the contract says.
    const dlpStatus = 'warning_required';
    expect(warned.body.fields).toEqual({ dlpStatus, dlpWarningToken: expect.any(String) });
    expect([server.taken, await stateOf(idempotencyKey)]).toEqual([[], undefined]);
    const dlpWarningToken = String(warned.body.fields?.['dlpWarningToken']);
    const confirmed = { ...given, dlpWarningToken };
    const sent = await sendings.create(mailbox, confirmed, { idempotencyKey });
    expect(sent).toMatchObject({ status: 200, body: { dlpStatus: 'warning_required' } });
    // A repeat is answered before anybody judges, with the token or without it.
    for (const again of [given, confirmed]) {
      const answer = await sendings.create(mailbox, again, { idempotencyKey });
      expect(answer.text).toBe(sent.text);
    }
    expect(server.taken).toHaveLength(1);
    expect(await service.audit(mailbox)).toContainEqual(
      expect.objectContaining({ action: 'dlp.overridden' }),
    );
  });

  it('warns again where the token is another payload’s, or used', async () => {
    await rule('warn');
    const given = secret();
    const warned = await sendings.create(mailbox, given);
    const dlpWarningToken = String(warned.body.fields?.['dlpWarningToken']);
    const other = await sendings.create(mailbox, { ...secret(), dlpWarningToken });
    expect(other.problem).toBe('DLP_WARNING');
    expect((await sendings.create(mailbox, { ...given, dlpWarningToken })).status).toBe(200);
    const used = await sendings.create(mailbox, { ...given, dlpWarningToken });
    expect(used.problem).toBe('DLP_WARNING');
    expect(server.taken).toHaveLength(1);
  });

  it('is overridden by the same token again when nothing has left', async () => {
    await rule('warn');
    const given = secret();
    const idempotencyKey = newSendKey();
    const warned = await sendings.create(mailbox, given, { idempotencyKey });
    const confirmed = {
      ...given,
      dlpWarningToken: String(warned.body.fields?.['dlpWarningToken']),
    };
    for (const [stage, reply, status] of [
      ['mail', '451 4.3.0 Later', 503],
      ['rcpt', '550 5.1.1 Nobody', 400],
      ['dot', '554 5.7.1 Never', 400],
    ] as const) {
      server.reset(first(1, stage, { reply }));
      const refused = await sendings.create(mailbox, confirmed, { idempotencyKey });
      expect([stage, refused.status]).toEqual([stage, status]);
    }
    // A refusal before anything is recorded, too.
    const elsewhere = { ...confirmed, threadId: newId('cnv') };
    expect((await sendings.create(mailbox, elsewhere, { idempotencyKey })).status).toBe(404);
    expect((await sendings.create(mailbox, confirmed, { idempotencyKey })).status).toBe(200);
    expect((await sendings.create(mailbox, confirmed)).problem).toBe('DLP_WARNING');
  });

  it('is not overridden again by the token of what may have left', async () => {
    await rule('warn');
    const given = secret();
    const warned = await sendings.create(mailbox, given);
    const confirmed = {
      ...given,
      dlpWarningToken: String(warned.body.fields?.['dlpWarningToken']),
    };
    server.reset(first(1, 'dot', 'drop'));
    expect((await sendings.create(mailbox, confirmed)).problem).toBe('SEND_OUTCOME_UNKNOWN');
    expect((await sendings.create(mailbox, confirmed)).problem).toBe('DLP_WARNING');
  });

  it('blocks, whatever token there is', async () => {
    await rule('warn', 'Warned');
    const given = secret();
    const warned = await sendings.create(mailbox, given);
    await rule('block');
    const dlpWarningToken = String(warned.body.fields?.['dlpWarningToken']);
    for (const token of [{}, { dlpWarningToken }]) {
      const answer = await sendings.create(mailbox, { ...given, ...token });
      expect(answer).toMatchObject({ status: 403, problem: 'DLP_BLOCKED' });
    }
    expect(server.taken).toEqual([]);
  });
});

describe('what the metrics tell of unknown sends', () => {
  it('is how many they are in all workspaces, and since when the oldest', async () => {
    const waiting = async (): Promise<unknown> => {
      const { rows } = await service.admin.query<object>(
        `SELECT sends, round(oldest_seconds / 3600) AS hours FROM unknown_sends_waiting()`,
      );
      return rows[0];
    };
    await service.admin.query(
      `UPDATE send_reservations SET state = 'failed' WHERE state IN ('transmitting', 'unknown')`,
    );
    expect(await waiting()).toEqual({ sends: 0, hours: 0 });
    const keys = [newSendKey(), newSendKey()];
    for (const idempotencyKey of keys)
      await sendings.create(await service.mailbox(), aMessage(), { idempotencyKey });
    const later = `lease_until = now() + interval '1 hour'`;
    for (const [index, key] of keys.entries()) {
      const age = `created_at = now() - ${index + 2} * interval '1 hour'`;
      await tamper(key, `state = 'unknown', ${later}, ${age}`);
    }
    expect(await waiting()).toEqual({ sends: 2, hours: 3 });
  });
});
