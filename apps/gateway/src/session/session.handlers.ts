import { Controller } from '@nestjs/common';
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
  signIn,
  type AcceptInvitation,
  type Done,
  type Nothing,
  type SessionAnswer,
  type SignIn,
} from '@postroom/contracts';
import { Handles, Prepares, type Reading, type Writing } from '@postroom/operations';
import type { EntityManager } from 'typeorm';
import { acceptPassword, hashInvitationToken } from '../authentication/index.js';
import { GatewayConfig } from '../config.js';
import { InvitationEntity, MemberEntity, memberView } from '../members/index.js';
import { TenantEntity } from '../tenants/index.js';
import { SessionEntity } from './session.entity.js';

const lifeSeconds = 7 * 24 * 60 * 60;

/** Signing in and out. Passwords and links were checked by the strategies before these run. */
@Controller()
export class SessionHandlers {
  constructor(private readonly config: GatewayConfig) {}

  @Handles(signIn.create)
  async create(context: Writing<typeof signIn.create>, _input: SignIn): Promise<SessionAnswer> {
    const { memberId, judgedBy } = memberOf(context);
    // Held until the session is there: a reset or a deactivation comes after it, and ends it, or was
    // before, and the password that was judged lets nobody in any more.
    const member = await lockMember(context.manager, memberId, 'pessimistic_read');
    const stored = member?.active ? member.passwordHash : null;
    if (stored === null || storedPasswordId(stored) !== judgedBy)
      throw new Problem('SIGN_IN_FAILED');
    return this.begin(context);
  }

  @Prepares(signIn.accept)
  async accept(_context: Reading, { token, password }: AcceptInvitation) {
    const passwordHash = await acceptPassword(password);
    return (context: Writing<typeof signIn.accept>) => this.use(context, token, passwordHash);
  }

  private async use(
    context: Writing<typeof signIn.accept>,
    token: string,
    passwordHash: string,
  ): Promise<SessionAnswer> {
    const { manager } = context;
    const { memberId } = memberOf(context);
    // Before its links and sessions, as a deactivation has them: no two wait for each other.
    await lockMember(manager, memberId, 'pessimistic_write');
    // The link is used up here: of two who open it at once, one finds it gone.
    const used = await manager.delete(InvitationEntity, {
      tokenHash: hashInvitationToken(token),
    });
    if (!used.affected) throw new Problem('INVITATION_INVALID');
    await manager.update(MemberEntity, { id: memberId }, { passwordHash });
    await manager.delete(SessionEntity, { memberId });
    return this.begin(context);
  }

  @Handles(session.get)
  get(context: Reading, _input: Nothing): Promise<SessionAnswer> {
    return context.entities((manager) => answer(manager, memberOf(context)));
  }

  @Handles(session.end)
  async end(context: Writing<typeof session.end>, _input: Nothing): Promise<Done> {
    const { sessionId } = memberOf(context);
    if (sessionId !== null) await context.manager.delete(SessionEntity, { id: sessionId });
    context.header('set-cookie', endedSessionCookie(this.config.publicUrl));
    return { ok: true };
  }

  private async begin(context: Writing): Promise<SessionAnswer> {
    const { manager, tenantId, at } = context;
    const caller = memberOf(context);
    // A sign-in takes the place of the session that it came with, which may be of another workspace.
    if (caller.sessionId !== null)
      await manager.query('SELECT end_session($1)', [caller.sessionId]);
    const { token, tokenHash } = newSessionToken();
    const id = newId('ses');
    await manager.insert(SessionEntity, {
      id,
      tenantId,
      memberId: caller.memberId,
      tokenHash,
      createdAt: at,
      seenAt: at,
    });
    context.subject(id);
    context.header('set-cookie', sessionCookie(token, this.config.publicUrl, lifeSeconds));
    return answer(manager, caller);
  }
}

const lockMember = (
  manager: EntityManager,
  id: string,
  mode: 'pessimistic_read' | 'pessimistic_write',
): Promise<MemberEntity | null> => manager.findOne(MemberEntity, { where: { id }, lock: { mode } });

function memberOf({ caller }: Reading): MemberCaller {
  if (caller.type !== 'member') throw new Problem('UNAUTHENTICATED');
  return caller;
}

async function answer(manager: EntityManager, caller: MemberCaller): Promise<SessionAnswer> {
  const member = await manager.findOneByOrFail(MemberEntity, { id: caller.memberId });
  const { id, name } = await manager.findOneByOrFail(TenantEntity, { id: caller.tenantId });
  return { member: memberView(member), tenant: { id, name } };
}
