import {
  endedSessionCookie,
  newSessionToken,
  sessionCookie,
  storedPasswordId,
  type MemberCaller,
} from '@postroom/access';
import {
  newId,
  Problem,
  session,
  sessions,
  sessionsMax,
  signIn,
  type SignInAnswer,
  type AcceptInvitation,
} from '@postroom/contracts';
import { handlers, type Reading, type Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { EntityManager } from 'typeorm';
import { GatewayConfig } from '../config.js';
import { hashInvitationToken } from './authentication/member-authentication.js';
import { acceptPassword } from './authentication/new-passwords.js';
import { methodsOf } from './authentication/second-factor.js';
import {
  InvitationEntity,
  MemberEntity,
  PasskeyEntity,
  SessionEntity,
  TenantEntity,
} from './entities.js';
import { memberView } from './members.handlers.js';
import { noteDevice } from './sign-in-devices.js';

interface LiveSession extends Pick<SessionEntity, 'id' | 'device' | 'address'> {
  readonly created_at: Date;
  readonly seen_at: Date;
}

/** A member's own sessions. */
export const SessionsHandlers = handlers(sessions, [GatewayConfig], (config) => ({
  list: async (context) => {
    const { memberId, sessionId } = memberOf(context);
    const found = await context.entities((manager) =>
      manager.query<LiveSession[]>(
        `SELECT s.id, s.created_at, s.seen_at, s.device, s.address FROM sessions s
         WHERE s.member_id = $1 AND is_session_live(s) AND NOT s.half_open
         ORDER BY s.created_at DESC, s.id DESC LIMIT $2`,
        [memberId, sessionsMax],
      ),
    );
    const items = found.map(({ id, created_at, seen_at, device, address }) => ({
      id,
      createdAt: created_at.toISOString(),
      seenAt: seen_at.toISOString(),
      current: id === sessionId,
      device,
      address,
    }));
    return { items, nextPageToken: null };
  },

  remove: async (context, { id }) => {
    const { memberId, sessionId } = memberOf(context);
    const { affected } = await context.manager.delete(SessionEntity, { id, memberId });
    if (!affected) throw new Problem('SESSION_NOT_FOUND');
    if (id === sessionId) context.header('set-cookie', endedSessionCookie(config));
    return { ok: true };
  },
}));

const maxAgeSeconds = 7 * 24 * 60 * 60;

/** Signing in and out. The Passport strategies have checked the password or the link before. */
export const SessionHandlers = handlers({ ...signIn, ...session }, [GatewayConfig], (config) => ({
  create: async (context) => {
    const { memberId, judgedBy } = memberOf(context);
    // The lock orders this with a reset or deactivation: a later one ends this session, and after an
    // earlier one the password that was checked is no longer the member's.
    const member = await lockMember(context.manager, memberId, 'pessimistic_read');
    const stored = member?.active ? member.passwordHash : null;
    if (stored === null || storedPasswordId(stored) !== judgedBy)
      throw new Problem('SIGN_IN_FAILED');
    return beginSession(context, config);
  },

  passkey: async (context) => {
    const { memberId, judgedBy = '' } = memberOf(context);
    const member = await lockMember(context.manager, memberId, 'pessimistic_read');
    const isKnown = await context.manager.existsBy(PasskeyEntity, { id: judgedBy, memberId });
    if (!member?.active || !isKnown) throw new Problem('SIGN_IN_FAILED');
    return beginSession(context, config, { isProved: true });
  },

  accept: acceptLink(config),

  get: (context) => context.entities((manager) => answer(manager, memberOf(context))),

  end: async (context) => {
    const { sessionId } = memberOf(context);
    const where = { id: sessionId ?? '' };
    const ended = await context.manager.findOneBy(SessionEntity, where);
    await context.manager.delete(SessionEntity, where);
    context.header('set-cookie', endedSessionCookie(config));
    return { ok: true, ...(ended?.signOutUrl && { signOutUrl: ended.signOutUrl }) };
  },
}));

/** Chooses a password through a one-time link, and signs in. */
export function acceptLink(config: GatewayConfig) {
  return {
    prepare: async (reading: Reading, { token, password }: AcceptInvitation) => {
      const { memberId } = memberOf(reading);
      const passwordHash = await acceptPassword(password, memberId);
      return async (context: Writing) => {
        await useInvitation(context, token, passwordHash);
        return beginSession(context, config);
      };
    },
  };
}

async function useInvitation(context: Writing, token: string, passwordHash: string): Promise<void> {
  const { manager } = context;
  const { memberId } = memberOf(context);
  // The member is locked before its links and sessions, as in a deactivation: this avoids deadlocks.
  await lockMember(manager, memberId, 'pessimistic_write');
  // One of two concurrent requests with the same link deletes it, and the other finds none.
  const used = await manager.delete(InvitationEntity, { tokenHash: hashInvitationToken(token) });
  if (!used.affected) throw new Problem('INVITATION_INVALID');
  await manager.delete(InvitationEntity, { memberId });
  await manager.update(MemberEntity, { id: memberId }, { passwordHash });
  await manager.delete(SessionEntity, { memberId });
}

/** Facts of a sign-in beside its member. */
interface SignInFacts {
  readonly signOutUrl?: string | null;
  /** Two factors have been proved already. */
  readonly isProved?: boolean;
  /** When the member has proved who it is; at this moment without it. */
  readonly provedAt?: Date | null;
}

export async function beginSession(
  context: Writing,
  config: GatewayConfig,
  { signOutUrl = null, isProved = false, provedAt = new Date() }: SignInFacts = {},
): Promise<SignInAnswer> {
  const { manager, tenantId } = context;
  // Sessions are of the real time, in sandboxes too.
  const at = new Date();
  const caller = memberOf(context);
  // A sign-in replaces the session whose cookie it came with, which may belong to another workspace.
  if (caller.sessionId !== null) await manager.query('SELECT end_session($1)', [caller.sessionId]);
  const { token, tokenHash } = newSessionToken();
  const id = newId('ses');
  const methods = await methodsOf(manager, caller.memberId);
  const halfOpen = !isProved && methods.length > 0;
  await manager.insert(SessionEntity, {
    id,
    tenantId,
    memberId: caller.memberId,
    tokenHash,
    createdAt: at,
    seenAt: at,
    ...placeOf(caller),
    provedAt,
    halfOpen,
    signOutUrl,
  });
  await noteDevice(context, caller);
  await manager.query(
    `DELETE FROM sessions WHERE id IN (
       SELECT id FROM sessions WHERE member_id = $1 ORDER BY created_at DESC, id DESC OFFSET $2)`,
    [caller.memberId, sessionsMax],
  );
  context.subject(id);
  context.header('set-cookie', sessionCookie(token, config, maxAgeSeconds));
  return halfOpen ? { secondFactor: { methods } } : signedIn(context, caller);
}

const placeOf = ({ signsInFrom }: MemberCaller) => ({
  device: signsInFrom?.device ?? null,
  address: signsInFrom?.address ?? null,
});

/** After a proof: the session is whole, and has another cookie. */
export async function renewSession(context: Writing, config: GatewayConfig): Promise<SignInAnswer> {
  const { manager } = context;
  const at = new Date();
  const caller = memberOf(context);
  const where = { id: caller.sessionId ?? '' };
  const lock = { mode: 'pessimistic_write' } as const;
  const session = await manager.findOne(SessionEntity, { where, lock });
  if (!session) throw new Problem('UNAUTHENTICATED');
  const { token, tokenHash } = newSessionToken();
  // A session that was half open begins here; the life of one that was whole stays as it was.
  const began = session.halfOpen ? { createdAt: at, seenAt: at, halfOpen: false } : {};
  await manager.save(Object.assign(session, { tokenHash, provedAt: at, ...began }));
  context.subject(session.id);
  context.header('set-cookie', sessionCookie(token, config, maxAgeSeconds));
  return signedIn(context, caller);
}

const mustEnrol = statement<{ must: boolean }>(
  'access.must_enrol',
  'SELECT requires_second_factor($1) AND NOT has_second_factor($2) AS must',
);

/** True if the workspace wants a second factor of a member who has none. */
export async function isToEnrol(context: Writing, { memberId }: MemberCaller): Promise<boolean> {
  const [{ must } = { must: false }] = await context.rows(mustEnrol, [memberId]);
  return must;
}

/** The answer to a sign-in; a member who has to enrol a second factor first is told. */
async function signedIn(context: Writing, caller: MemberCaller): Promise<SignInAnswer> {
  const must = await isToEnrol(context, caller);
  const who = await answer(context.manager, caller);
  return must ? { ...who, secondFactor: { methods: [] } } : who;
}

export const lockMember = (
  manager: EntityManager,
  id: string,
  mode: 'pessimistic_read' | 'pessimistic_write',
): Promise<MemberEntity | null> => manager.findOne(MemberEntity, { where: { id }, lock: { mode } });

async function answer(manager: EntityManager, caller: MemberCaller) {
  const member = await manager.findOneByOrFail(MemberEntity, { id: caller.memberId });
  const { id, name } = await manager.findOneByOrFail(TenantEntity, { id: caller.tenantId });
  return { member: memberView(member), tenant: { id, name } };
}

/** The member who asks. */
export function memberOf({ caller }: Pick<Reading, 'caller'>): MemberCaller {
  if (caller.type !== 'member') throw new Problem('UNAUTHENTICATED');
  return caller;
}
