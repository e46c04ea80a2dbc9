import { Budget } from '@postroom/limits';
import type { Log } from '@postroom/service';
import type { MailConfig } from '../../config.js';
import type { SenderAuthentication } from '../authentication/sender-authentication.js';
import type { InboundDelivery } from '../inbound-delivery.js';
import type { MailboxLookup } from '../mailbox-lookup.js';
import { limits } from '../../limits.js';
import { SenderShares } from './sender-shares.js';
import { SmtpListener, type SmtpListenerOptions } from './smtp-listener.js';

/** The ports that mail is received on. */
export interface Ports {
  readonly smtp: number;
  /** Null where nothing listens for LMTP. */
  readonly lmtp: number | null;
}

/** The SMTP listener, and the LMTP listener where one is configured. */
export class MailListeners {
  private readonly smtp: SmtpListener;
  private readonly lmtp: SmtpListener | null;

  constructor(
    private readonly config: MailConfig,
    mailboxes: MailboxLookup,
    delivery: InboundDelivery,
    senders: SenderAuthentication | null,
    log: Log,
    received: SmtpListenerOptions['received'],
  ) {
    const arriving = new Budget(limits.arrivingBytes, config.smtpMemoryBytes);
    const connections = new Budget(limits.smtpConnections, config.smtpClientsMax);
    const shared = { config, arriving, connections, mailboxes, delivery, log, received };
    const listener = (
      own: Pick<SmtpListenerOptions, 'protocol' | 'shares' | 'senders'>,
    ): SmtpListener => new SmtpListener({ ...shared, ...own });
    const shares = new SenderShares(config.smtpClientCpuPercent);
    this.smtp = listener({ protocol: 'SMTP', shares, senders });
    // An LMTP client is the operator's own mail server, which relays for all senders and has checked them.
    const relay = { protocol: 'LMTP', shares: null, senders: null } as const;
    this.lmtp = config.lmtpPort === null ? null : listener(relay);
  }

  async listen(): Promise<Ports> {
    const { smtpPort, lmtpPort } = this.config;
    return {
      smtp: await this.smtp.listen(smtpPort),
      lmtp: this.lmtp && lmtpPort !== null ? await this.lmtp.listen(lmtpPort) : null,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.smtp.close(), this.lmtp?.close()]);
  }
}
