import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unknownSends } from '@postroom/contracts';
import { Database } from '@postroom/persistence';
import { anAdmin } from '@postroom/service-testing';
import { obliging, ScriptedSmtp } from '@postroom/testing';
import { isFullRun } from '@postroom/testing/repetitions';
import { until } from '@postroom/testing/until';
import { DraftSendings, type MemberMailbox } from '../testing/draft-sendings.js';
import { MailService } from '../testing/mail-service.js';

type Moment = 'before' | 'after';

/**
 * Ends a process as a kill does, for its database: from a statement, or from the commit that follows it, nothing
 * that it asks is done. Resolves when that has happened.
 */
function killedAt(database: Database, statement: string, moment: Moment): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const killing = new AbortController();
  const die = () => {
    killing.abort(new Error('killed'));
    resolve();
  };
  const alive = () => killing.signal.throwIfAborted();
  const asked = ({ name }: { readonly name: string }) => {
    alive();
    if (name === statement && moment === 'before') die();
    alive();
    return name === statement;
  };
  const { rows, transaction } = database;
  database.rows = async (query, ...rest) => {
    const isHit = asked(query);
    const found = await rows.call(database, query, ...rest);
    if (isHit) die();
    alive();
    return found as never;
  };
  database.transaction = async (ends, work, tenantId) => {
    alive();
    const seen = { isHit: false };
    const value = await transaction.call(
      database,
      ends,
      (given, begun) =>
        work(
          {
            ...given,
            rows: (query, values) => {
              seen.isHit = asked(query) || seen.isHit;
              return given.rows(query, values);
            },
          },
          begun as never,
        ),
      tenantId,
    );
    if (seen.isHit) die();
    alive();
    return value as never;
  };
  return promise;
}

type End =
  | 'leaves'
  | 'stays, settled as failed, until it is sent again'
  | 'has left, which an answer shows';

const points: readonly (readonly [Moment, string, End])[] = [
  ['before', 'draft_sends.take_due', 'leaves'],
  ['after', 'draft_sends.take_due', 'leaves'],
  ['after', 'draft_sends.begun', 'leaves'],
  ['before', 'sends.reserve', 'leaves'],
  ['after', 'sends.reserve', 'leaves'],
  ['before', 'sends.begin_transmission', 'leaves'],
  ['after', 'sends.begin_transmission', 'stays, settled as failed, until it is sent again'],
  ['before', 'sends.remove_draft', 'has left, which an answer shows'],
  ['before', 'sends.mark_sent', 'has left, which an answer shows'],
  ['after', 'sends.mark_sent', 'leaves'],
];

describe('a process that is killed while it sends drafts', () => {
  let server: ScriptedSmtp;
  let service: MailService;
  let sending: DraftSendings;
  let mailbox: MemberMailbox;

  beforeAll(async () => {
    server = await ScriptedSmtp.listen();
    server.reset(obliging);
    service = await MailService.start({
      OUTGOING_SMTP_URL: server.url,
      SEND_SETTLE_INTERVAL: '200ms',
    });
    sending = new DraftSendings(service);
    await sending.serve();
    mailbox = await sending.mailbox();
  });

  afterAll(async () => {
    await service.close();
    await server.close();
  });

  const leasesEnd = async () => {
    await service.rows('UPDATE drafts SET send_due = now() WHERE send_due > now()');
    await service.rows(`UPDATE send_reservations SET lease_until = now() - interval '1 second'`);
  };
  const stateOf = async (id: string) =>
    (await sending.list(mailbox)).find((draft) => draft.id === id)?.scheduled;
  const settledAsFailed = async (id: string) => {
    await until(async () => (await stateOf(id))?.reason === 'SEND_OUTCOME_UNKNOWN');
    const caller = anAdmin({ tenantId: mailbox.tenantId });
    const { body } = await service.call<{ items: { id: string }[] }>(
      unknownSends.list,
      { state: 'unknown' },
      { caller },
    );
    const message = body.items[0]?.id ?? '';
    await service.call(unknownSends.settle, { id: message, outcome: 'failed' }, { caller });
    await leasesEnd();
    expect(server.delivered).toHaveLength(0);
    const by = mailbox.member.memberId;
    const reason = 'SEND_SETTLED_AS_FAILED';
    expect(await stateOf(id)).toMatchObject({ state: 'failed', by, reason });
    const told = await service.rows<{ envelope: string }>(
      `SELECT envelope FROM outbox WHERE type = 'draft.failed' AND resource = $1
       UNION ALL SELECT envelope FROM published_events WHERE type = 'draft.failed' AND resource = $1`,
      [id],
    );
    expect(told.map(({ envelope }) => JSON.parse(envelope) as object)).toMatchObject([
      { draft: { id, sentBy: by } },
    ]);
    expect(await sending.send(mailbox, id)).toMatchObject({ status: 200 });
  };
  const answered = async () => {
    const messageId = server.taken[0]?.messageId ?? '';
    await service.send({ to: mailbox.address, inReplyTo: messageId, references: messageId });
  };

  it.each(points)('%s %s: the draft %s', async (moment, statement, end) => {
    for (let left = isFullRun() ? 5 : 1; left > 0; left -= 1) {
      server.reset(obliging);
      const { id } = await sending.createDraft(mailbox);
      const killed = killedAt(service.service.get(Database), statement, moment);
      await service.rows(
        `UPDATE drafts SET send_at = now(), send_by = $2, send_state = 'waiting', send_due = now()
           WHERE id = $1`,
        [id, mailbox.member.memberId],
      );
      await killed;
      await leasesEnd();
      await service.restart();
      if (end === 'stays, settled as failed, until it is sent again') await settledAsFailed(id);
      if (end === 'has left, which an answer shows') await answered();
      expect(await sending.eventually(mailbox, id, (draft) => !draft)).toBeUndefined();
      expect(server.delivered).toHaveLength(1);
      expect(await sending.send(mailbox, id)).toMatchObject({ status: 200 });
    }
  });
});
