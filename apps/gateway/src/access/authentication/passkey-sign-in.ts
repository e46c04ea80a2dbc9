import { Injectable } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { statement } from '@postroom/persistence';
import { Authorizations } from './authorizations.js';
import { BrowserChallenges } from './browser-challenges.js';
import {
  authorizationOf,
  type MemberAuthorization,
  type MemberRow,
} from './member-authentication.js';
import { Passkeys, type Credential } from './passkeys.js';
import { WorkspaceDomains } from './workspace-domains.js';

interface PasskeyRow extends MemberRow {
  passkey_id: string;
  public_key: Buffer;
  /** A bigint, which PostgreSQL gives as text. */
  counter: string;
}

const findPasskey = statement<PasskeyRow>('access.find_passkey', 'SELECT * FROM find_passkey($1)');
const usePasskey = statement<{ used: boolean }>(
  'access.use_passkey',
  'SELECT use_passkey($1, $2, $3) AS used',
);

/** A sign-in with a passkey, before its member is known. */
interface Presented {
  readonly credential: Credential;
  /** The `Cookie` header, with what the browser has begun. */
  readonly cookies: string | undefined;
  readonly host: string;
  readonly requestId: string;
}

/** Finds the member behind a passkey that is presented alone. */
@Injectable()
export class PasskeySignIn {
  constructor(
    private readonly authorizations: Authorizations,
    private readonly challenges: BrowserChallenges,
    private readonly passkeys: Passkeys,
    private readonly domains: WorkspaceDomains,
  ) {}

  /** Null when it is refused, for whatever reason. */
  async judge(presented: Presented): Promise<MemberAuthorization | null> {
    const { credential, cookies, host, requestId } = presented;
    const begun = await this.challenges.take('passkey', cookies);
    const [row] = await this.authorizations.find(findPasskey, String(credential['id']));
    if (!begun || !row) return null;
    const { tenant_id: tenantId, tenant_name: name, passkey_id: id, member_id: memberId } = row;
    if (!this.domains.serves(host, { id: tenantId, name })) return null;
    const before = Number(row.counter);
    const known = { id, tenantId, memberId, publicKey: row.public_key, counter: before };
    const after = await this.passkeys
      .verify(known, begun['challenge'] ?? '', credential, requestId)
      .catch(nothingRefused);
    if (after === null) return null;
    const [found] = await this.authorizations.find(usePasskey, id, before, after);
    if (!found?.used) return null;
    const authorization = authorizationOf(row);
    return { ...authorization, caller: { ...authorization.caller, judgedBy: id } };
  }
}

function nothingRefused(error: unknown): null {
  if (error instanceof Problem && error.code === 'SECOND_FACTOR_REFUSED') return null;
  throw error;
}
