import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A one-time link through which a member chooses a password. */
@Entity({ name: 'invitations' })
export class InvitationEntity {
  @PrimaryColumn({ name: 'token_hash', type: 'text' })
  tokenHash!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ name: 'member_id', type: 'text' })
  memberId!: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt!: Date;
}
