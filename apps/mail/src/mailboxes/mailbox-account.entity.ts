import { Column, Entity, PrimaryColumn } from 'typeorm';

/** OAuth tokens as they are stored: encrypted with the keyring. */
export interface StoredTokens {
  readonly sealed: string;
  /** When the access token ends (ISO 8601). */
  readonly until: string;
}

/** The account that a mailbox is read from. Servers and passwords stand in the mailbox. */
@Entity({ name: 'mailbox_accounts' })
export class MailboxAccountEntity {
  @PrimaryColumn({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @PrimaryColumn({ name: 'mailbox_id', type: 'text' })
  mailboxId!: string;

  @Column({ type: 'text' })
  kind!: 'password' | 'oauth';

  @Column({ type: 'text', nullable: true })
  provider!: string | null;

  @Column({ type: 'jsonb', nullable: true })
  tokens!: StoredTokens | null;

  /** Names the process that refreshes the tokens; those that another brings meanwhile are dropped. */
  @Column({ name: 'refreshing_by', type: 'text', nullable: true })
  refreshingBy!: string | null;

  @Column({ name: 'two_way', type: 'boolean' })
  twoWay!: boolean;

  @Column({ name: 'sent_copy', type: 'text' })
  sentCopy!: 'auto' | 'append' | 'never';

  /** Days before the account was connected from which its mail is read; null: all of it. */
  @Column({ name: 'history_days', type: 'integer', nullable: true })
  historyDays!: number | null;

  /** Raised with each change of its login. */
  @Column({ type: 'integer' })
  logins!: number;
}
