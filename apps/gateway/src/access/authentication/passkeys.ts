import { Injectable } from '@nestjs/common';
import type { MemberCaller } from '@postroom/access';
import { Problem } from '@postroom/contracts';
import { UnitOfWork, type Changing, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { GatewayConfig } from '../../config.js';
import { PasskeyEntity } from '../entities.js';

/** The time that an authenticator's owner may take. */
export const challengeMs = 5 * 60_000;

const takeChallenge = statement<{ challenge: string | null }>(
  'access.take_challenge',
  'SELECT take_challenge($1, $2) AS challenge',
);

/** The part of a proof that is done in a transaction. */
export type Proved = (changing: Pick<Changing, 'manager' | 'at'>) => Promise<void>;

/** A passkey that is presented. */
export interface KnownPasskey {
  readonly id: string;
  readonly tenantId: string;
  readonly memberId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
}

/** An answer as a browser gives it; the library judges its form. */
export type Credential = Readonly<Record<string, unknown>>;

/** Registers and verifies passkeys (WebAuthn 3); their user is verified always, so that one is two factors. */
@Injectable()
export class Passkeys {
  private readonly rpID: string;
  private readonly origin: string;

  constructor(
    private readonly work: UnitOfWork,
    { publicUrl }: GatewayConfig,
  ) {
    const url = new URL(publicUrl);
    // A relying party has a name: the loopback address of a trial is reached by its own.
    if (url.hostname === '127.0.0.1') url.hostname = 'localhost';
    this.rpID = url.hostname;
    this.origin = url.origin;
  }

  /** Options of a registration, by a member who has these already. */
  registration({ memberId, email, name }: MemberCaller, had: readonly PasskeyEntity[]) {
    return generateRegistrationOptions({
      rpName: 'Postroom',
      rpID: this.rpID,
      userID: new Uint8Array(Buffer.from(memberId)),
      ...{ userName: email, userDisplayName: name, timeout: challengeMs },
      attestationType: 'none',
      excludeCredentials: had.map(({ credentialId: id, transports }) => ({ id, transports })),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    });
  }

  /** Options of a use: of these passkeys, or of whichever the browser has. */
  use(known: readonly PasskeyEntity[] = []) {
    return generateAuthenticationOptions({
      ...{ rpID: this.rpID, timeout: challengeMs, userVerification: 'required' },
      allowCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports })),
    });
  }

  /** The challenge of a session; it counts once. @throws Problem SECOND_FACTOR_REFUSED */
  async challengeOf({ rows }: Reading, { sessionId }: MemberCaller): Promise<string> {
    const [taken] = await rows(takeChallenge, [sessionId]);
    if (!taken?.challenge) throw new Problem('SECOND_FACTOR_REFUSED');
    return taken.challenge;
  }

  /** Verifies a new passkey. @returns the facts to keep of it. @throws Problem SECOND_FACTOR_REFUSED */
  async register(challenge: string, credential: Credential) {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: credential as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      ...{ expectedOrigin: this.origin, expectedRPID: this.rpID, requireUserVerification: true },
    }).catch(refuse);
    if (!verified) return refuse();
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { credentialId: id, publicKey: Buffer.from(publicKey), counter, transports };
  }

  /** Judges a passkey as a proof in a session. @throws Problem SECOND_FACTOR_REFUSED */
  async judge(reading: Reading, caller: MemberCaller, credential: Credential): Promise<Proved> {
    const challenge = await this.challengeOf(reading, caller);
    const where = { credentialId: String(credential['id']), memberId: caller.memberId };
    const row = await reading.entities((manager) => manager.findOneBy(PasskeyEntity, where));
    if (!row) return refuse();
    const known = { ...row, counter: Number(row.counter) };
    const counter = await this.verify(known, challenge, credential, reading.requestId);
    return async ({ manager, at }) => {
      const before = { id: row.id, counter: row.counter };
      const after = { counter: String(counter), usedAt: at };
      const { affected } = await manager.update(PasskeyEntity, before, after);
      if (!affected) refuse();
    };
  }

  /**
   * @returns the counter that the passkey has now
   * @throws Problem SECOND_FACTOR_REFUSED, audited where the counter says that there are two of it
   */
  async verify(
    known: KnownPasskey,
    challenge: string,
    credential: Credential,
    requestId: string,
  ): Promise<number> {
    const { id, publicKey, counter } = known;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: credential as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      ...{ expectedOrigin: this.origin, expectedRPID: this.rpID, requireUserVerification: true },
      // The counter is judged here, since a clone is to be told apart from any other fault.
      credential: {
        id: String(credential['id']),
        publicKey: new Uint8Array(publicKey),
        counter: 0,
      },
    }).catch(refuse);
    if (!verified) return refuse();
    const { newCounter } = authenticationInfo;
    // Passkeys that are synchronised count nothing: theirs is always 0.
    if (newCounter <= counter && (newCounter > 0 || counter > 0)) {
      const { tenantId, memberId } = known;
      const actor = { type: 'member', id: memberId } as const;
      const audit = { action: 'passkeys.cloned', subjectId: id, requestId };
      await this.work.change({ tenantId, actor, source: 'app' }, null, () =>
        Promise.resolve({ value: undefined, audit }),
      );
      return refuse();
    }
    return newCounter;
  }
}

function refuse(cause?: unknown): never {
  throw new Problem('SECOND_FACTOR_REFUSED', { cause });
}
