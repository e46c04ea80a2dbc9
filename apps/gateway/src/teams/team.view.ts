import type { Team } from '@postroom/contracts';
import type { TeamEntity } from './team.entity.js';

/** A team as settings show it. */
export const teamView = ({ id, name, memberIds, createdAt, version }: TeamEntity): Team => ({
  id,
  name,
  memberIds,
  createdAt: createdAt.toISOString(),
  version,
});
