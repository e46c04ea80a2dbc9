import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  findPassword,
  hashSessionToken,
  passwordsMax,
  storedPasswordId,
  type Asker,
  type MemberCaller,
  type SignInPlace,
} from '@postroom/access';
import { Problem, type Operation, type ProblemCode, type Role } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import type { NoticedMember } from '../notices/notice.js';
import { Authorizations, type Authorization } from './authorizations.js';
import { WorkspaceDomains } from './workspace-domains.js';

export interface MemberRow {
  tenant_id: string;
  tenant_name: string;
  send_open: boolean;
  member_id: string;
  email: string;
  name: string;
  role: Role;
  can_approve: boolean;
}

interface SessionRow extends MemberRow {
  session_id: string;
  standing: Operation['session'];
  proved: boolean;
}

/** An authorization of a member. */
export type MemberAuthorization = Authorization & { readonly caller: MemberCaller };

/** One by a session. */
export interface SessionAuthorization extends MemberAuthorization {
  /** The state of the session: whole, or waiting. */
  readonly standing: Operation['session'];
  /** True if the member has proved who it is within 15 minutes. */
  readonly proved: boolean;
}

/** The refusals of an operation, by the session that it takes. */
const refusals = {
  whole: { half: 'SECOND_FACTOR_REQUIRED', enrolling: 'ENROLMENT_REQUIRED' },
  enrolling: { half: 'SECOND_FACTOR_REQUIRED' },
  half: {},
} as const satisfies Record<
  Operation['session'],
  Partial<Record<Operation['session'], ProblemCode>>
>;

/**
 * Judges a session for an operation; without one, for a route that takes whole sessions.
 * @throws Problem SECOND_FACTOR_REQUIRED, ENROLMENT_REQUIRED, STEP_UP_REQUIRED
 */
export function requireStanding(
  { standing, proved }: SessionAuthorization,
  operation: Pick<Operation, 'session' | 'stepUp'> | null,
): void {
  const refused: Partial<Record<Operation['session'], ProblemCode>> =
    refusals[operation?.session ?? 'whole'];
  const code = refused[standing];
  if (code) throw new Problem(code);
  if (operation?.stepUp && !proved) throw new Problem('STEP_UP_REQUIRED');
}

const findSession = statement<SessionRow>('access.find_session', 'SELECT * FROM find_session($1)');
/** A member with a password. */
export interface SignInRow extends MemberRow {
  password_hash: string;
}

const findSignIn = statement<SignInRow>('access.find_sign_in', 'SELECT * FROM find_sign_in($1)');
const findInvitation = statement<MemberRow & { keeps_password: boolean }>(
  'access.find_invitation',
  'SELECT * FROM find_invitation($1)',
);

const findByAddress = statement<MemberRow>(
  'access.find_member_by_address',
  'SELECT * FROM find_member_by_address($1, $2)',
);

/** The stored form of a one-time link's token; 256 random bits need no salt. */
export const hashInvitationToken = (token: string): string => hash('sha256', token);

/** Finds the member behind a session, a password or a one-time link. */
@Injectable()
export class MemberAuthentication {
  constructor(
    private readonly authorizations: Authorizations,
    private readonly domains: WorkspaceDomains,
  ) {}

  async bySession(token: string | null, host: string): Promise<SessionAuthorization | null> {
    const found = await this.session(token);
    const authorization = this.authorize(found, host);
    const [row] = found;
    return authorization && row
      ? { ...authorization, standing: row.standing, proved: row.proved }
      : null;
  }

  /** The active member of a workspace with an address that another party has verified. */
  async byAddress(
    tenantId: string,
    email: string,
    host: string,
  ): Promise<MemberAuthorization | null> {
    return this.authorize(await this.authorizations.find(findByAddress, tenantId, email), host);
  }

  /** The member of a link, and whether it signs in with a password at all. */
  async byInvitation(
    token: string,
    host: string,
  ): Promise<(MemberAuthorization & { readonly keepsPassword: boolean }) | null> {
    const found = await this.authorizations.find(findInvitation, hashInvitationToken(token));
    const authorization = this.authorize(found, host);
    return authorization && { ...authorization, keepsPassword: found[0]?.keeps_password ?? false };
  }

  /**
   * If an address is a member of several workspaces, the password decides which is meant. A wrong
   * password takes the same time, in however many the address is. Only the oldest memberships are tried; others can be
   * signed in to under the domain of their workspace.
   */
  async byPassword(
    reachable: readonly SignInRow[],
    password: string,
    asker: Asker,
  ): Promise<MemberAuthorization | null> {
    const hashes = reachable.map((row) => row.password_hash);
    const row = reachable[await findPassword(password, hashes, asker)];
    if (!row) return null;
    const found = authorizationOf(row);
    return { ...found, caller: { ...found.caller, judgedBy: storedPasswordId(row.password_hash) } };
  }

  /** The members whose passwords a sign-in with an address is tried against. */
  async reachedBy(
    email: string,
    host: string,
  ): Promise<readonly { readonly tenantId: string; readonly id: string }[]> {
    const candidates = await this.candidates(email, host);
    return candidates.map((row) => ({ tenantId: row.tenant_id, id: row.member_id }));
  }

  /** The members with a password whose address it is, under a host: those that a reset is for. */
  async passwordOwners(email: string, host: string): Promise<readonly NoticedMember[]> {
    const candidates = await this.candidates(email, host);
    return candidates.map(({ tenant_id, tenant_name, member_id, name, ...row }) => ({
      ...{
        tenantId: tenant_id,
        workspace: tenant_name,
        memberId: member_id,
        email: row.email,
        name,
      },
    }));
  }

  /** Adds where a sign-in comes from, and the session whose cookie came with it, so that the sign-in ends it. */
  async signingIn(
    found: MemberAuthorization,
    { token, ...place }: SignInPlace & { readonly token: string | null },
  ): Promise<MemberAuthorization> {
    const [before] = await this.session(token);
    const sessionId = before?.session_id ?? null;
    return { ...found, caller: { ...found.caller, sessionId, signsInFrom: place } };
  }

  /** The members with a password whose address it is, under a host, the oldest first. */
  async candidates(email: string, host: string): Promise<readonly SignInRow[]> {
    const found = await this.authorizations.find(findSignIn, email);
    return found.filter((row) => this.domains.serves(host, tenantOf(row))).slice(0, passwordsMax);
  }

  private async session(token: string | null): Promise<SessionRow[]> {
    return token === null ? [] : this.authorizations.find(findSession, hashSessionToken(token));
  }

  private authorize([row]: (MemberRow | SessionRow)[], host: string): MemberAuthorization | null {
    return row && this.domains.serves(host, tenantOf(row)) ? authorizationOf(row) : null;
  }
}

const tenantOf = (row: MemberRow) => ({ id: row.tenant_id, name: row.tenant_name });

/** The authorization of the member in a row. */
export const authorizationOf = (row: MemberRow | SessionRow): MemberAuthorization => ({
  caller: {
    type: 'member',
    tenantId: row.tenant_id,
    source: 'app',
    memberId: row.member_id,
    email: row.email,
    name: row.name,
    role: row.role,
    canApprove: row.can_approve,
    sessionId: 'session_id' in row ? row.session_id : null,
  },
  sendOpen: row.send_open,
});
