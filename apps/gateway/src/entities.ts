import { KeyEntity } from './keys/index.js';
import { InvitationEntity, MemberEntity } from './members/index.js';
import { SessionEntity } from './session/index.js';
import { TeamEntity } from './teams/index.js';
import { TenantEntity } from './tenants/index.js';

/** TypeORM's entities of schema `access`. */
export const entities = [
  InvitationEntity,
  KeyEntity,
  MemberEntity,
  SessionEntity,
  TeamEntity,
  TenantEntity,
];
