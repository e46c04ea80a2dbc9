import { Inject, Injectable } from '@nestjs/common';
import { Problem, type MailServer } from '@postroom/contracts';
import { OutboundGuard, resolveByDns, TargetRefused } from '@postroom/outbound';
import { MailConfig } from '../config.js';

/** Ports of submission and relay; RFC 9051 for reading. */
const ports = { outgoing: [25, 465, 587, 2525], imap: [143, 993] } as const;

/** The servers of one mailbox, as they are given. */
interface GivenServers {
  readonly outgoing?: MailServer | null;
  readonly imap?: MailServer | null;
}

/** Judges the servers of a mailbox: public ones are allowed, and those that the operator allow-lists. */
@Injectable()
export class MailServerTargets {
  /** Judges servers that mail is sent through, when they are dialled too. */
  readonly outgoing: OutboundGuard;
  /** Judges servers that mail is read from. */
  readonly imap: OutboundGuard;

  constructor(@Inject(MailConfig) config: MailConfig) {
    const allowed = config.mailServerAllowedCidrs ?? [];
    const resolve = resolveByDns(config.outboundDnsServers ?? []);
    this.outgoing = new OutboundGuard({ allowed, resolve, ports: ports.outgoing });
    this.imap = new OutboundGuard({ allowed, resolve, ports: ports.imap });
  }

  /** @throws Problem INVALID_REQUEST, in the same words whatever is wrong with a server */
  async require({ outgoing, imap }: GivenServers): Promise<void> {
    if (outgoing) await check(this.outgoing, 'outgoing.host', outgoing);
    if (imap) await check(this.imap, 'imap.host', imap);
  }
}

async function check(
  guard: OutboundGuard,
  field: string,
  { host, port }: MailServer,
): Promise<void> {
  try {
    await guard.check(host, port);
  } catch (cause) {
    if (!(cause instanceof TargetRefused)) throw cause;
    const message = {
      fr: 'serveur de messagerie public attendu, sur un port de messagerie',
      en: 'expected a public mail server, on a port of mail',
    };
    throw new Problem('INVALID_REQUEST', { cause, violations: [{ field, message }] });
  }
}
