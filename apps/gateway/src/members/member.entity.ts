import type { Role } from '@postroom/contracts';
import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

/** A person of a workspace. */
@Entity({ name: 'members' })
export class MemberEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ type: 'text' })
  email!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  role!: Role;

  @Column({ name: 'can_approve', type: 'boolean' })
  canApprove!: boolean;

  @Column({ type: 'boolean' })
  active!: boolean;

  /** PHC string; null until an invitation is accepted. */
  @Column({ name: 'password_hash', type: 'text', nullable: true })
  passwordHash!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @VersionColumn()
  version!: number;
}
