import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountMail } from '@postroom/contracts';
import { aMember } from '@postroom/service-testing';
import { MailService } from './testing/mail-service.js';
import { TestOutbox } from './testing/outgoing.js';

describe('mail about accounts', () => {
  const mail = { to: 'robin@acme.test', subject: 'Grüße', text: 'Hello Robin,\n\nhere it is.\n' };
  let service: MailService;
  let outbox: TestOutbox;

  beforeAll(async () => {
    outbox = await TestOutbox.start();
    service = await MailService.start(outbox.env);
  });
  afterAll(async () => {
    await service.close();
    await outbox.close();
  });

  const send = (to: MailService) => to.call(accountMail.send, mail, { caller: aMember() });

  it('leaves by the server of the deployment', async () => {
    expect(await send(service)).toMatchObject({ status: 200, body: { ok: true } });
    const [sent, ...more] = await outbox.messages('here it is.');
    expect(more).toEqual([]);
    expect(sent).toMatch(/^From: Postroom <postroom@mx\.test>\r?$/m);
    expect(sent).toMatch(/^To: robin@acme\.test\r?$/m);
  });

  it('is refused while there is no server that takes it', async () => {
    const without = await MailService.start();
    expect(await send(without)).toMatchObject({ problem: 'OUTGOING_UNAVAILABLE' });
    await without.close();
  });
});
