import type { WorkingHours } from '@postroom/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A workspace. */
@Entity({ name: 'tenants' })
export class TenantEntity {
  @PrimaryColumn({ name: 'tenant_id', type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ name: 'send_open', type: 'boolean' })
  sendOpen!: boolean;

  /** IANA; the days of its analytics are those of this zone. */
  @Column({ name: 'time_zone', type: 'text' })
  timeZone!: string;

  @Column({ name: 'working_hours', type: 'jsonb' })
  workingHours!: readonly WorkingHours[];

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
