// tags: own
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inFullRun } from '@postroom/testing/repetitions';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { type SigningDomain, startSigningDomain } from './signing-domain.js';
import { conversationOf, pageOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

// In a quick check `scheduling.spec.ts` has a signed message pass, and an unsigned one refused.
inFullRun(describe)('the authenticity of mail', () => {
  let domain: SigningDomain;
  let mailbox: string;
  let api: OwnKey;

  beforeAll(async () => {
    domain = await startSigningDomain('bank.example');
    const place = await Workplace.open('acme', domain.running.product);
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
  });

  afterAll(() => domain.stop());

  /** Delivers a message of the bank, and answers it as the API shows it. */
  async function received(mail: SendMailOptions): Promise<object | undefined> {
    const subject = randomUUID();
    const from = 'Bank <service@bank.example>';
    const transport = createTransport({ ...domain.running.product.smtp, ignoreTLS: true });
    await transport.sendMail({ from, to: mailbox, subject, text: 'Hello', ...mail });
    const { conversations } = pageOf(await api.get('/v1/conversations', { mailbox, limit: 100 }));
    const id = conversations.find((one) => one.subject === subject)?.id;
    return conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox })).messages[0];
  }

  it('is pass for a message that its author’s domain signed', async () => {
    expect(await received({ dkim: domain.dkim })).toMatchObject({
      auth: { spf: 'none', dkim: 'pass', dmarc: 'pass' },
      trust: { level: 'ordinary', reasons: [] },
    });
  });

  it('fails for one that it did not sign, which arrives all the same', async () => {
    expect(await received({})).toMatchObject({
      auth: { spf: 'none', dkim: 'none', dmarc: 'fail' },
      trust: { level: 'caution', reasons: ['auth_failed'] },
    });
  });
});
