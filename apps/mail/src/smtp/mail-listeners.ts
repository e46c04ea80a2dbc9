import type { Log } from '@postroom/service';
import type { MailConfig } from '../config.js';
import type { MailDrop } from './mail-drop.js';
import { ReceptionBudget } from './reception-budget.js';
import type { Recipients } from './recipients.js';
import { SenderShares } from './sender-shares.js';
import { SmtpListener, type Protocol } from './smtp-listener.js';

/** The ports that mail arrives on. */
export interface Ports {
  readonly smtp: number;
  /** Null where nothing listens for LMTP. */
  readonly lmtp: number | null;
}

/** The listener of SMTP, and that of LMTP where one is asked for. */
export class MailListeners {
  private readonly smtp: SmtpListener;
  private readonly lmtp: SmtpListener | null;

  constructor(
    private readonly config: MailConfig,
    recipients: Recipients,
    drop: MailDrop,
    log: Log,
  ) {
    const budget = new ReceptionBudget(config.smtpMemoryBytes);
    const of = (protocol: Protocol, shares: SenderShares | null): SmtpListener =>
      new SmtpListener({ protocol, config, budget, shares, recipients, drop, log });
    this.smtp = of('SMTP', new SenderShares(config.smtpClientCpuPercent));
    // Whoever speaks LMTP is a mail server of the house, behind which all senders are.
    this.lmtp = config.lmtpPort === null ? null : of('LMTP', null);
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
