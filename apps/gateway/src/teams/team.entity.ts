import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

/** Members of a workspace who share conversations. */
@Entity({ name: 'teams' })
export class TeamEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId!: string;

  @Column({ type: 'text' })
  name!: string;

  /** The name as it is compared, unique in the workspace. */
  @Column({ name: 'name_key', type: 'text' })
  nameKey!: string;

  @Column({ name: 'member_ids', type: 'text', array: true })
  memberIds!: string[];

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @VersionColumn()
  version!: number;
}
