import { newApiKey } from '@postroom/access';
import {
  connections,
  invalidField,
  keys,
  newId,
  Problem,
  type CreateKey,
  type Key,
  type UpdateKey,
} from '@postroom/contracts';
import { handlers, requireVersion, type Writing } from '@postroom/operations';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { revokeKeys } from './approvals/approval-rows.js';
import { KeyEntity, MemberEntity } from './entities.js';
import { approvalOf, MailboxGrants, requireFuture, requireSoundScopes } from './key-rules.js';
import { WorkspaceQuotas } from './quotas.js';
import { memberOf } from './session.handlers.js';

/** A key, and the member it is attached to, as settings show it. */
const keyView = (key: KeyEntity, member: Pick<MemberEntity, 'email'> | null): Key => ({
  id: key.id,
  name: key.name,
  kind: key.kind,
  approval: key.approval,
  scopes: key.scopes,
  mailboxes: Object.entries(key.grants).map(([address, access]) => ({ address, access })),
  member: member?.email ?? null,
  admin: key.admin,
  client: key.client,
  hint: key.hint,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  createdAt: key.createdAt.toISOString(),
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  revokedAt: key.revokedAt?.toISOString() ?? null,
  version: key.version,
});

type Grants = KeyEntity['grants'];

/** API keys: a change is in force on every gateway once it is answered. */
export const KeysHandlers = handlers(
  keys,
  [MailboxGrants, WorkspaceQuotas],
  (mailboxGrants, quotas) => ({
    list: ({ entities }) =>
      entities(async (manager) => {
        const found = await manager.find(KeyEntity, { order: { id: 'ASC' } });
        const members = await manager.find(MemberEntity);
        const byId = new Map(members.map((member) => [member.id, member]));
        const items = found.map((key) => keyView(key, byId.get(key.memberId ?? '') ?? null));
        return { items, nextPageToken: null };
      }),

    create: {
      prepare: async (reading, input) => {
        requireSoundScopes(input.kind, input.scopes);
        const grants = await mailboxGrants.check(reading, input.mailboxes ?? []);
        return async (context) => {
          await quotas.requireRoomForKey(context);
          return createKey(context, input, grants);
        };
      },
    },

    update: {
      prepare: async (reading, { mailboxes, ...input }) => {
        const grants = mailboxes && (await mailboxGrants.check(reading, mailboxes));
        return (context) => updateKey(context, input, grants);
      },
    },

    revoke: async (context, { id, ifMatch }) => {
      const key = await load(context.manager, id);
      requireVersion(key, ifMatch);
      await context.rows(revokeKeys, [[id], context.at]);
      return { ok: true };
    },
  }),
);

/** Assistants that the signed-in member has connected. */
export const ConnectionsHandlers = handlers(connections, {
  list: async (context) => {
    const member = memberOf(context);
    const own = { memberId: member.memberId, client: Not(IsNull()), revokedAt: IsNull() };
    const found = await context.entities((manager) =>
      manager.find(KeyEntity, { where: own, order: { id: 'DESC' }, take: connectionsMax }),
    );
    return { items: found.map((key) => keyView(key, member)), nextPageToken: null };
  },

  end: async (context, { id, ifMatch }) => {
    const key = await load(context.manager, id);
    if (key.client === null || key.memberId !== memberOf(context).memberId)
      throw new Problem('KEY_NOT_FOUND');
    requireVersion(key, ifMatch);
    await context.rows(revokeKeys, [[id], context.at]);
    return { ok: true };
  },
});

const connectionsMax = 1_000;

async function createKey(
  { manager, tenantId, at, subject }: Writing,
  input: CreateKey,
  grants: Grants,
) {
  const { name, kind, scopes, admin } = input;
  const member = await memberByEmail(manager, input.member);
  const id = newId('key');
  const { token, secretHash, hint } = newApiKey(kind, id.slice('key_'.length));
  const key = manager.create(KeyEntity, {
    id,
    tenantId,
    name,
    kind,
    approval: approvalOf(kind, input.approval),
    scopes,
    admin,
    grants,
    memberId: member?.id ?? null,
    secretHash,
    hint,
    client: null,
    createdAt: at,
    expiresAt: requireFuture(input.expiresAt, at),
    lastUsedAt: null,
    revokedAt: null,
    version: 1,
  });
  await manager.insert(KeyEntity, key);
  subject(id);
  return { key: keyView(key, member), secret: token };
}

async function updateKey(
  { manager, at }: Writing,
  { id, ifMatch, approval, member, expiresAt, ...given }: Omit<UpdateKey, 'mailboxes'>,
  grants: Grants | undefined,
) {
  const key = await load(manager, id);
  requireVersion(key, ifMatch);
  requireSoundScopes(key.kind, given.scopes);
  Object.assign(key, given);
  if (approval !== undefined) key.approval = approvalOf(key.kind, approval);
  if (grants !== undefined) key.grants = grants;
  if (expiresAt !== undefined) key.expiresAt = requireFuture(expiresAt, at, key.expiresAt);
  if (member !== undefined) {
    key.memberId = (await memberByEmail(manager, member, key.memberId))?.id ?? null;
  }
  await manager.save(key);
  const attached = await manager.findOneBy(MemberEntity, { id: key.memberId ?? '' });
  return { key: keyView(key, attached) };
}

async function load(manager: EntityManager, id: string): Promise<KeyEntity> {
  const lock = { mode: 'pessimistic_write' } as const;
  const key = await manager.findOne(KeyEntity, { where: { id }, lock });
  if (!key) throw new Problem('KEY_NOT_FOUND');
  return key;
}

/** The member of that address, who is active or was the key's before; null when none is named. */
async function memberByEmail(
  manager: EntityManager,
  email: string | null | undefined,
  before: string | null = null,
): Promise<MemberEntity | null> {
  if (email === null || email === undefined) return null;
  const member = await manager.findOneBy(MemberEntity, { email });
  if (!member || !(member.active || member.id === before))
    throw invalidField(
      'member',
      'membre inconnu',
      'there is no such active member',
      'UNKNOWN_VALUE',
    );
  return member;
}
