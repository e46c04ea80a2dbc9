import type { Dkim, Mailbox, MailServer, MemberAccess } from '@postroom/contracts';
import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { MailboxAccountEntity } from './mailbox-account.entity.js';

/** A server as it is stored: its password encrypted with the keyring. */
export interface StoredServer extends MailServer {
  readonly sealedPassword: string | null;
}

/** DKIM settings as they are stored: the key encrypted with the keyring. */
export interface StoredDkim extends Dkim {
  readonly sealedPrivateKey: string;
}

/** A shared mailbox. */
@Entity({ name: 'mailboxes' })
export class MailboxEntity {
  @PrimaryColumn({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  address!: string;

  @Column({ name: 'routing_address', type: 'text' })
  routingAddress!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'boolean' })
  automation!: boolean;

  @Column({ type: 'jsonb' })
  access!: MemberAccess;

  @Column({ type: 'jsonb', nullable: true })
  outgoing!: StoredServer | null;

  @Column({ type: 'jsonb', nullable: true })
  imap!: StoredServer | null;

  @Column({ type: 'jsonb', nullable: true })
  dkim!: StoredDkim | null;

  @Column({ name: 'retention_days', type: 'integer', nullable: true })
  retentionDays!: number | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;

  @VersionColumn({ type: 'integer' })
  version!: number;
}

/** A mailbox as settings show it: without any secret. */
export const mailboxView = (
  mailbox: MailboxEntity,
  account: MailboxAccountEntity | null,
): Mailbox => ({
  id: mailbox.id,
  address: mailbox.address,
  name: mailbox.name,
  automation: mailbox.automation,
  access: mailbox.access,
  outgoing: mailbox.outgoing && serverView(mailbox.outgoing),
  imap: mailbox.imap && serverView(mailbox.imap),
  account: account && {
    kind: account.kind,
    provider: account.provider,
    consentEnded: account.kind === 'oauth' && account.tokens === null,
    twoWay: account.twoWay,
    sentCopy: account.sentCopy,
    historyDays: account.historyDays,
  },
  dkim: mailbox.dkim && { selector: mailbox.dkim.selector },
  retentionDays: mailbox.retentionDays,
  createdAt: mailbox.createdAt.toISOString(),
  updatedAt: mailbox.updatedAt.toISOString(),
  version: mailbox.version,
});

const serverView = ({ host, port, secure, user }: StoredServer): MailServer => ({
  host,
  port,
  secure,
  user,
});
