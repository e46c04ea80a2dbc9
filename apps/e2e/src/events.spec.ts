// tags: kafka
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import { topology } from './config.js';
import { EventLog } from './event-log.js';
import { Workplace } from './workplace.js';

const missing = topology() === 'cluster' ? null : 'events of one process do not leave it';

whereThere({ missing }, describe)('the events of the product', () => {
  let log: EventLog;
  beforeAll(async () => {
    log = await EventLog.open();
  });
  afterAll(() => log.close());

  const typesOf = (conversationId: string): readonly string[] =>
    log.events.filter(({ resource }) => resource === conversationId).map(({ type }) => type);

  it('are as the published webhooks describe them, all that the suite has brought about', async () => {
    const place = await Workplace.open('acme');
    const mailbox = await place.mailbox();
    const api = await place.keyFor(mailbox);
    const html = `<p>${'long '.repeat(20_000)}</p>`;
    const { id } = await place.receive(api, mailbox, { html });
    const path = `/v1/conversations/${id}/comment`;
    await api.post(path, { mailbox, text: 'Noted.' }, `e2e-${randomUUID()}`);
    await until(() => typesOf(id).length >= 2);
    expect(typesOf(id)).toEqual(['conversation.received', 'conversation.commented']);
    for (const { envelope } of log.events) place.contract.checkEvent(envelope);
  });
});
