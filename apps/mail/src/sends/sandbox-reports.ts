import { Inject, Injectable } from '@nestjs/common';
import { isSandbox, systemActor } from '@postroom/contracts';
import { MessageParser } from '@postroom/mime';
import { logToken, UnitOfWork, workspaceNow, type Reading } from '@postroom/operations';
import type { Log } from '@postroom/service';
import { MailConfig } from '../config.js';
import { takeArrival, traceHeader } from '../inbound/index.js';
import { MailboxEntity } from '../mailboxes/index.js';
import { receiveMessage } from '../messages/index.js';
import { testRecipient, type SendingMailbox } from '../outgoing/index.js';

/** Reports on one message. */
const reportsMax = 10;
/** From which the reports come. */
const server = 'sandbox.invalid';

/** A message of a sandbox, and its recipients. */
interface Reported {
  readonly mailbox: Pick<SendingMailbox, 'id' | 'address'>;
  readonly messageId: string;
  readonly to: readonly string[];
}

/**
 * Receives the bounces and complaints that the test recipients of a sandbox answer with, as mail that arrives. A report
 * that cannot be received is lost, as one of a real server may be.
 */
@Injectable()
export class SandboxReports {
  constructor(
    private readonly config: MailConfig,
    private readonly parser: MessageParser,
    private readonly work: UnitOfWork,
    @Inject(logToken) private readonly log: Log,
  ) {}

  /** Does nothing outside of a sandbox. */
  async receive(context: Reading, sent: Reported): Promise<void> {
    if (!isSandbox(context.tenantId)) return;
    const reported = sent.to.filter((one) =>
      ['bounce', 'complain'].includes(testRecipient(one) ?? ''),
    );
    for (const recipient of reported.slice(0, reportsMax)) {
      await this.report(context, sent, recipient).catch((err: unknown) =>
        this.log.warn({ err }, 'sends: a report to a sandbox was not received'),
      );
    }
  }

  private async report(context: Reading, sent: Reported, recipient: string): Promise<void> {
    const { tenantId, requestId } = context;
    const { id, address } = sent.mailbox;
    const at = await workspaceNow(context);
    const raw = Buffer.from(reportOf(sent, recipient, at));
    const parsed = await this.parser.parse(raw, tenantId, '');
    const trace = traceHeader({
      ...{ from: '', recipient: address, at, sessionId: requestId, protocol: 'ESMTP' },
      ...{ helo: server, clientAddress: '127.0.0.1', serverName: server },
    });
    const origin = { tenantId, actor: systemActor, source: 'inbound' } as const;
    await this.work.change(origin, null, async (changing) => {
      const { automation } = await changing.manager.findOneByOrFail(MailboxEntity, { id });
      const mailbox = { tenantId, mailboxId: id, address, automation };
      await takeArrival(changing, raw.length, this.config);
      const { id: value } = await receiveMessage(changing, { mailbox, parsed, raw, trace });
      return { value };
    });
  }
}

/** A bounce by RFC 3464, or a complaint by RFC 5965. */
function reportOf({ mailbox, messageId }: Reported, recipient: string, at: Date): string {
  const isBounce = testRecipient(recipient) === 'bounce';
  const kind = isBounce ? 'delivery-status' : 'feedback-report';
  const what = isBounce ? 'Undelivered mail returned to sender' : 'Complaint about a message';
  const bounce = [
    ...[`Reporting-MTA: dns; ${server}`, '', `Final-Recipient: rfc822; ${recipient}`],
    ...['Action: failed', 'Status: 5.1.1', 'Diagnostic-Code: smtp; 550 5.1.1 no such mailbox'],
  ];
  const complaint = [
    ...['Feedback-Type: abuse', 'User-Agent: Postroom-Sandbox/1', 'Version: 1'],
    `Original-Rcpt-To: ${recipient}`,
  ];
  return [
    `From: Mail Delivery System <mailer-daemon@${server}>`,
    `To: ${mailbox.address}`,
    `Subject: ${what}`,
    `Date: ${at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${recipient.replace('@', '.')}.${messageId}>`,
    ...['Auto-Submitted: auto-replied', 'MIME-Version: 1.0'],
    `Content-Type: multipart/report; report-type=${kind}; boundary="part"`,
    ...['', '--part', 'Content-Type: text/plain', '', `${what}: ${recipient}`],
    ...['--part', `Content-Type: message/${kind}`, '', ...(isBounce ? bounce : complaint), ''],
    ...['--part', 'Content-Type: text/rfc822-headers', '', `Message-ID: <${messageId}>`, ''],
    ...['--part--', ''],
  ].join('\r\n');
}
