import { Database } from '@postroom/persistence';
import { KeyEntity } from './keys/index.js';
import { InvitationEntity, MemberEntity } from './members/index.js';
import { SessionEntity } from './session/index.js';
import { TeamEntity } from './teams/index.js';
import { TenantEntity } from './tenants/index.js';

/** Connects to schema `access` as its service role. */
export const connectAccess = (url: string): Promise<Database> =>
  Database.connect({
    url,
    schema: 'access',
    entities: [InvitationEntity, KeyEntity, MemberEntity, SessionEntity, TeamEntity, TenantEntity],
  });
