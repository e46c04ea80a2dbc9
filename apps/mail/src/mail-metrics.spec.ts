import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Problem } from '@postroom/contracts';
import { Metrics } from '@postroom/service';
import { MailMetrics } from './mail-metrics.js';
import { MailService } from './testing/mail-service.js';
import { SmtpDialogue } from './testing/smtp-dialogue.js';

const bounce = [
  'From: MAILER-DAEMON@relay.example',
  'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
  '',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; relay.example',
  '',
  'Final-Recipient: rfc822; a@b.example',
  'Action: failed',
  'Status: 5.1.1',
  '--b--',
];

describe('the metrics of mail', () => {
  let service: MailService;
  beforeAll(async () => {
    service = await MailService.start();
  });
  afterAll(() => service.close());

  const shown = async (metrics: Metrics): Promise<Record<string, number>> => {
    const { body } = await metrics.expose();
    const lines = body.matchAll(/^postroom_((?:smtp|sends|bounces)_\S+) ([\d.]+)$/gm);
    return Object.fromEntries([...lines].map(([, name = '', value]) => [name, Number(value)]));
  };

  it('count each recipient that is refused, each message that is kept, and reports among them', async () => {
    const { address } = await service.mailbox();
    const before = await shown(service.metrics);
    const smtp = await SmtpDialogue.open(service.smtpPort);
    await smtp.say('EHLO correspondent.example');
    await smtp.say('MAIL FROM:<>');
    await smtp.say('RCPT TO:<nobody@elsewhere.example>');
    await smtp.say(`RCPT TO:<no-${address}>`);
    await smtp.say(`RCPT TO:<${address}>`);
    await smtp.say('DATA');
    expect(await smtp.say(`${bounce.join('\r\n')}\r\n.`)).toMatch(/^250/);
    smtp.close();
    const after = await shown(service.metrics);
    const grown = Object.entries(after).filter(([name, value]) => value - (before[name] ?? 0) >= 1);
    expect(
      Object.fromEntries(grown.map(([name, value]) => [name, value - (before[name] ?? 0)])),
    ).toEqual({
      'smtp_messages_total{outcome="accepted"}': 1,
      'smtp_messages_total{outcome="foreign_domain"}': 1,
      'smtp_messages_total{outcome="unknown_recipient"}': 1,
      bounces_total: 1,
    });
    expect(after['smtp_last_arrival_age_seconds']).toBeLessThan(30);
  });

  it.each<[string, unknown]>([
    ['refused', new Problem('RECIPIENTS_REFUSED')],
    ['unavailable', new Problem('OUTGOING_UNAVAILABLE')],
    ['unknown', new Problem('SEND_OUTCOME_UNKNOWN', { fields: { outcomeUnknown: true } })],
    ['withheld', new Problem('DLP_WARNING')],
    ['failed', new Error('a defect')],
    ['sent', null],
  ])('count a send as %s', async (outcome, error) => {
    const own = new Metrics();
    const metrics = new MailMetrics(own);
    const sending = error instanceof Error ? Promise.reject(error) : Promise.resolve(1);
    await metrics.send(sending).catch(() => undefined);
    const counted = Object.entries(await shown(own)).filter(
      ([name, value]) => name.startsWith('sends') && value > 0,
    );
    expect(counted).toEqual([[`sends_total{outcome="${outcome}"}`, 1]]);
  });
});
