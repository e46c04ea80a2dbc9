import type { Member } from '@postroom/contracts';
import type { MemberEntity } from './member.entity.js';

/** A member as settings show it. */
export const memberView = (member: MemberEntity): Member => ({
  id: member.id,
  email: member.email,
  name: member.name,
  role: member.role,
  canApprove: member.canApprove,
  active: member.active,
  createdAt: member.createdAt.toISOString(),
  version: member.version,
});
