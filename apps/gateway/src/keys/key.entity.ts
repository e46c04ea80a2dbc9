import type { Approval, KeyKind, MailboxAccess, Scope } from '@postroom/contracts';
import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

/** An API key; of its secret only a hash is kept. */
@Entity({ name: 'keys' })
export class KeyEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  kind!: KeyKind;

  @Column({ type: 'text', nullable: true })
  approval!: Approval | null;

  @Column({ type: 'text', array: true })
  scopes!: Scope[];

  /** By mailbox address. */
  @Column({ type: 'jsonb' })
  grants!: Record<string, MailboxAccess>;

  @Column({ name: 'member_id', type: 'text', nullable: true })
  memberId!: string | null;

  @Column({ type: 'boolean' })
  admin!: boolean;

  @Column({ name: 'secret_hash', type: 'text' })
  secretHash!: string;

  @Column({ type: 'text' })
  hint!: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  @VersionColumn()
  version!: number;
}
