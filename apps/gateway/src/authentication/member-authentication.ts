import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hashSessionToken, PasswordsBusyError, verifyPassword } from '@postroom/access';
import { Problem, type Role } from '@postroom/contracts';
import { Database, statement } from '@postroom/persistence';
import type { Authorization } from './authorization.js';
import { WorkspaceDomains } from './workspace-domains.js';

interface MemberRow {
  session_id?: string;
  tenant_id: string;
  tenant_name: string;
  send_open: boolean;
  member_id: string;
  email: string;
  name: string;
  role: Role;
  can_approve: boolean;
}

const findSession = statement<MemberRow>('access.find_session', 'SELECT * FROM find_session($1)');
const findSignIn = statement<MemberRow & { password_hash: string }>(
  'access.find_sign_in',
  'SELECT * FROM find_sign_in($1)',
);
const findInvitation = statement<MemberRow>(
  'access.find_invitation',
  'SELECT * FROM find_invitation($1)',
);

/** A one-time link's token as it is stored: 256 random bits need no salt. */
export const hashInvitationToken = (token: string): string => hash('sha256', token);

/** Finds the member behind a session, a password or a one-time link. */
@Injectable()
export class MemberAuthentication {
  constructor(
    private readonly database: Database,
    private readonly domains: WorkspaceDomains,
  ) {}

  async bySession(token: string, host: string): Promise<Authorization | null> {
    return this.admit(await this.database.rows(findSession, [hashSessionToken(token)]), host);
  }

  async byInvitation(token: string, host: string): Promise<Authorization | null> {
    return this.admit(await this.database.rows(findInvitation, [hashInvitationToken(token)]), host);
  }

  /**
   * An address may be a member of several workspaces: the password tells which. An unknown address
   * costs as much as a wrong password.
   */
  async byPassword(email: string, password: string, host: string): Promise<Authorization | null> {
    const candidates = await this.database.rows(findSignIn, [email]);
    const reachable = candidates.filter((row) => this.domains.serves(host, tenantOf(row)));
    try {
      if (reachable.length === 0) await verifyPassword(password, null);
      for (const row of reachable) {
        if (await verifyPassword(password, row.password_hash)) return authorizationOf(row);
      }
    } catch (error) {
      if (error instanceof PasswordsBusyError) {
        throw new Problem('SERVICE_UNAVAILABLE', { cause: error });
      }
      throw error;
    }
    return null;
  }

  private admit([row]: MemberRow[], host: string): Authorization | null {
    return row && this.domains.serves(host, tenantOf(row)) ? authorizationOf(row) : null;
  }
}

const tenantOf = (row: MemberRow) => ({ id: row.tenant_id, name: row.tenant_name });

const authorizationOf = (row: MemberRow): Authorization => ({
  caller: {
    type: 'member',
    tenantId: row.tenant_id,
    source: 'app',
    memberId: row.member_id,
    email: row.email,
    name: row.name,
    role: row.role,
    canApprove: row.can_approve,
    sessionId: row.session_id ?? null,
  },
  tenant: tenantOf(row),
  sendOpen: row.send_open,
});
