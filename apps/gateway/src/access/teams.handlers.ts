import { newId, Problem, sameText, teams, teamsMax, type Team } from '@postroom/contracts';
import { handlers, isUniqueViolation, requireVersion } from '@postroom/operations';
import { In, type EntityManager } from 'typeorm';
import { MemberEntity, TeamEntity, TenantEntity } from './entities.js';

/** A team as settings show it. */
const teamView = ({ id, name, memberIds, createdAt, version }: TeamEntity): Team => ({
  id,
  name,
  memberIds,
  createdAt: createdAt.toISOString(),
  version,
});

/** Teams of the workspace. */
export const TeamsHandlers = handlers(teams, {
  list: async ({ entities }) => {
    const found = await entities((manager) => manager.find(TeamEntity, { order: { id: 'ASC' } }));
    return { items: found.map(teamView), nextPageToken: null };
  },

  create: async ({ manager, tenantId, at, subject }, { name, memberIds }) => {
    await requireRoom(manager, tenantId);
    await requireActive(manager, memberIds);
    const team = manager.create(TeamEntity, {
      id: newId('tea'),
      tenantId,
      name,
      nameKey: sameText(name),
      memberIds,
      createdAt: at,
      version: 1,
    });
    await manager.insert(TeamEntity, team).catch(refuseTakenName);
    subject(team.id);
    return { team: teamView(team) };
  },

  update: async ({ manager }, { id, ifMatch, name, memberIds }) => {
    // Members are locked before the team, as in the removal of a member: this avoids deadlocks.
    if (memberIds !== undefined) {
      const before = await manager.findOneBy(TeamEntity, { id });
      await requireActive(manager, memberIds, before?.memberIds);
    }
    const team = await load(manager, id);
    requireVersion(team, ifMatch);
    if (name !== undefined) Object.assign(team, { name, nameKey: sameText(name) });
    if (memberIds !== undefined) team.memberIds = memberIds;
    await manager.save(team).catch(refuseTakenName);
    return { team: teamView(team) };
  },

  remove: async ({ manager }, { id, ifMatch }) => {
    const team = await load(manager, id);
    requireVersion(team, ifMatch);
    await manager.remove(team);
    return { ok: true };
  },
});

async function load(manager: EntityManager, id: string): Promise<TeamEntity> {
  const lock = { mode: 'pessimistic_write' } as const;
  const team = await manager.findOne(TeamEntity, { where: { id }, lock });
  if (!team) throw new Problem('TEAM_NOT_FOUND');
  return team;
}

/** The lock serialises creations of teams: of two concurrent ones, the second counts the first. */
async function requireRoom(manager: EntityManager, id: string): Promise<void> {
  const lock = { mode: 'for_no_key_update' } as const;
  await manager.findOne(TenantEntity, { where: { id }, lock });
  if ((await manager.count(TeamEntity)) >= teamsMax) throw new Problem('TOO_MANY_TEAMS');
}

/**
 * Requires members of this workspace who are active, or were in the team before: a deactivated member
 * stays in it. They are locked, so that none is removed before the team is written.
 */
async function requireActive(
  manager: EntityManager,
  ids: readonly string[],
  before: readonly string[] = [],
): Promise<void> {
  if (ids.length === 0) return;
  const found = await manager.find(MemberEntity, {
    where: { id: In([...ids]) },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_read' },
  });
  const fit = found.filter(({ id, active }) => active || before.includes(id));
  const known = new Set(fit.map(({ id }) => id));
  const message = { fr: 'membre inconnu ou inactif', en: 'there is no such active member' };
  const violations = ids.flatMap((id, i) =>
    known.has(id) ? [] : [{ field: `memberIds.${i}`, message }],
  );
  if (violations.length > 0) {
    throw new Problem('INVALID_REQUEST', { violations: violations.slice(0, 20) });
  }
}

function refuseTakenName(error: unknown): never {
  if (isUniqueViolation(error, 'teams_name')) throw new Problem('TEAM_EXISTS', { cause: error });
  throw error;
}
