import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conversations, type ConversationAnswer, type SendReceipt } from '@postroom/contracts';
import { ScriptedSmtp } from '@postroom/testing';
import { MailService } from '../testing/mail-service.js';
import { aMessage, Sendings } from '../testing/sending.js';

const gone = 'nobody@gone.example';
const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n`;
const head = (from: string, ...more: string[]): string[] => [
  ...['To: support@acme.test', `From: ${from}`, 'Subject: failure notice', 'MIME-Version: 1.0'],
  ...more,
];

/** Reports as mail servers write them, about a message of ours. */
const reports: readonly (readonly [string, (id: string) => string, object])[] = [
  [
    'of qmail',
    (id) =>
      lines(
        ...head('MAILER-DAEMON@qmail.example', 'Content-Type: text/plain; charset=utf-8', ''),
        'Hi. This is the qmail-send program at qmail.example.',
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        ...['', `<${gone}>:`, 'Sorry, no mailbox here by that name.', ''],
        ...['--- Below this line is a copy of the message.', ''],
        ...[`Message-ID: <${id}>`, 'Subject: Re: q13', '', 'answer'],
      ),
    { bounce: true, bounced: { recipient: gone, action: 'failed' } },
  ],
  [
    'of Exim',
    (id) =>
      lines(
        ...head(
          'Mail Delivery System <Mailer-Daemon@exim.example>',
          'Auto-Submitted: auto-replied',
        ),
        ...[`X-Failed-Recipients: ${gone}`, '', 'This message was created automatically.', ''],
        ...[
          'A message that you sent could not be delivered:',
          '',
          `  ${gone}`,
          '    Unrouteable address',
        ],
        ...['', '------ This is a copy of the message, including all the headers. ------', ''],
        ...[`Message-ID: <${id}>`, 'Subject: q', '', 'answer'],
      ),
    { bounce: true, bounced: { recipient: gone, action: 'failed' } },
  ],
  [
    'of RFC 3464',
    (id) =>
      lines(
        ...head('mailer-daemon@x.example'),
        ...['Content-Type: multipart/report; report-type=delivery-status; boundary=b', ''],
        ...['--b', '', 'Sorry.', '--b', 'Content-Type: message/delivery-status', ''],
        ...[
          'Reporting-MTA: dns; x.example',
          '',
          `Final-Recipient: rfc822; ${gone}`,
          'Action: failed',
        ],
        ...['Status: 5.1.1', '', '--b', 'Content-Type: text/rfc822-headers', ''],
        ...[`Message-ID: <${id}>`, '', '--b--'],
      ),
    { bounce: true, bounced: { recipient: gone, status: '5.1.1', action: 'failed' } },
  ],
  [
    'of a complaint (RFC 5965)',
    (id) =>
      lines(
        ...head('feedback@arf.example'),
        ...['Content-Type: multipart/report; report-type=feedback-report; boundary=b', ''],
        ...[
          '--b',
          '',
          'This is an abuse report',
          '--b',
          'Content-Type: message/feedback-report',
          '',
        ],
        ...[
          'Feedback-Type: abuse',
          'User-Agent: x',
          'Version: 1',
          '--b',
          'Content-Type: message/rfc822',
        ],
        ...['', `Message-ID: <${id}>`, 'Subject: q', '', 'answer', '--b--'],
      ),
    { bounced: { action: 'complained' } },
  ],
];

describe('a report on a message that was sent', () => {
  let server: ScriptedSmtp;
  let service: MailService;
  beforeAll(async () => {
    server = await ScriptedSmtp.listen();
    service = await MailService.start({ OUTGOING_SMTP_URL: server.url });
  });
  afterAll(async () => {
    await service.close();
    await server.close();
  });

  it.each(reports)('is filed with it, and names it: %s', async (_kind, report, expected) => {
    const mailbox = await service.mailbox();
    const sent = await new Sendings(service).create(mailbox, aMessage());
    const { id, threadId, providerMessageId } = sent.body as SendReceipt;
    const envelope = { from: '', to: mailbox.address };
    await service.send({ raw: report(providerMessageId ?? ''), envelope });
    const asked = { id: threadId, mailbox: mailbox.address };
    const { caller } = mailbox;
    const answer = await service.call<ConversationAnswer>(conversations.get, asked, { caller });
    const { messages, waitingSince } = answer.body.conversation;
    expect(messages).toMatchObject([{ id }, expected]);
    expect([messages[1]?.bounced?.of, waitingSince]).toEqual([id, null]);
  });
});
