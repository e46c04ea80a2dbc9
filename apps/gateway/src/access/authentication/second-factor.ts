import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { findPassword, Keyring, storedPasswordId, type MemberCaller } from '@postroom/access';
import {
  Problem,
  recoveryCodesMax,
  type GiveSecondFactor,
  type NewTotp,
  type ProofMethod,
} from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { Secret, TOTP } from 'otpauth';
import type { EntityManager } from 'typeorm';
import { rates } from '../../limits.js';
import { totpSeal } from '../../sealed-columns.js';
import { MemberEntity, PasskeyEntity, SecondFactorEntity } from '../entities.js';
import { Passkeys, type Proved } from './passkeys.js';

const periodSeconds = 30;

const beginProof = statement<{ wait: number | null }>(
  'access.begin_proof',
  'SELECT begin_proof($1, $2, $3) AS wait',
);

/** Second factors of members: code applications (RFC 6238) and recovery codes. */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly keyring: Keyring,
    private readonly passkeys: Passkeys,
  ) {}

  /**
   * Judges a proof, whatever of it needs no transaction; what is answered judges the rest, and uses it up.
   * @throws Problem SECOND_FACTOR_REFUSED, RATE_LIMITED
   */
  async judge(reading: Reading, caller: MemberCaller, proof: GiveSecondFactor): Promise<Proved> {
    const { code, recoveryCode, passkey, password } = proof;
    if (passkey !== undefined) return this.passkeys.judge(reading, caller, passkey);
    // A recovery code has 120 random bits: it cannot be guessed, so its failures are not counted.
    if (recoveryCode !== undefined)
      return ({ manager }) => this.useRecoveryCode(manager, caller.memberId, recoveryCode);
    await this.countTry(reading, caller.memberId);
    if (password !== undefined) return this.judgePassword(reading, caller, password);
    return ({ manager, at }) => this.useCode(manager, at, caller.memberId, code ?? '');
  }

  /**
   * Counts a proof: 240 a day, of a million codes of which three are right.
   * @throws Problem RATE_LIMITED when too many have failed within the hour
   */
  async countTry({ rows }: Pick<Reading, 'rows'>, memberId: string): Promise<void> {
    const [{ wait } = { wait: null }] = await rows(beginProof, [
      memberId,
      rates.failedProofs.perHour,
    ]);
    if (wait === null) return;
    throw new Problem('RATE_LIMITED', { headers: { 'retry-after': String(Math.ceil(wait)) } });
  }

  /** @throws Problem TOTP_EXISTS */
  async beginTotp(context: Changing, { memberId, email }: MemberCaller): Promise<NewTotp> {
    const row = await ownFactors(context, memberId);
    if (row.totpConfirmed) throw new Problem('TOTP_EXISTS');
    const secret = new Secret({ size: 20 });
    row.sealedTotp = this.keyring.encrypt(secret.base32, totpSeal, memberId);
    await context.manager.save(row);
    const url = new TOTP({ issuer: 'Postroom', label: email, secret }).toString();
    return { secret: secret.base32, url };
  }

  /**
   * @returns recovery codes, for a member who had none
   * @throws Problem TOTP_NOT_FOUND, TOTP_EXISTS, SECOND_FACTOR_REFUSED
   */
  async confirmTotp(context: Changing, memberId: string, code: string): Promise<string[]> {
    const row = await ownFactors(context, memberId);
    if (row.totpConfirmed) throw new Problem('TOTP_EXISTS');
    if (row.sealedTotp === null) throw new Problem('TOTP_NOT_FOUND');
    this.useStep(row, context.at, code);
    row.totpConfirmed = true;
    const given = row.recoveryHashes.length > 0 ? [] : renewCodes(row);
    await context.manager.save(row);
    return given;
  }

  private async useCode(
    manager: EntityManager,
    at: Date,
    memberId: string,
    code: string,
  ): Promise<void> {
    const row = await lockFactors(manager, memberId);
    if (!row?.totpConfirmed) throw new Problem('SECOND_FACTOR_REFUSED');
    this.useStep(row, at, code);
    await manager.save(row);
  }

  /** A code counts in its step, the one before and the one after, and no step twice (RFC 6238 §5.2). */
  private useStep(row: SecondFactorEntity, at: Date, code: string): void {
    const secret = this.keyring.decryptText(row.sealedTotp ?? '', totpSeal, row.memberId);
    const delta = TOTP.validate({
      secret: Secret.fromBase32(secret),
      token: code.replaceAll(' ', ''),
      timestamp: at.getTime(),
      window: 1,
    });
    if (delta === null) throw new Problem('SECOND_FACTOR_REFUSED');
    const step = Math.floor(at.getTime() / 1000 / periodSeconds) + delta;
    if (step <= Number(row.totpStep)) throw new Problem('SECOND_FACTOR_REFUSED');
    row.totpStep = String(step);
    row.tries = 0;
  }

  private async useRecoveryCode(
    manager: EntityManager,
    memberId: string,
    code: string,
  ): Promise<void> {
    const row = await lockFactors(manager, memberId);
    const used = hashOf(code);
    if (!row?.recoveryHashes.includes(used)) throw new Problem('SECOND_FACTOR_REFUSED');
    row.recoveryHashes = row.recoveryHashes.filter((one) => one !== used);
    row.tries = 0;
    await manager.save(row);
  }

  /** The password proves who one is to a session that is whole, of a member without a second factor. */
  private async judgePassword(
    { entities }: Reading,
    { memberId }: MemberCaller,
    password: string,
  ): Promise<Proved> {
    const [member, methods] = await entities(async (manager) => [
      await manager.findOneBy(MemberEntity, { id: memberId }),
      await methodsOf(manager, memberId),
    ]);
    const stored = member?.passwordHash;
    const hashes = stored ? [stored] : [];
    const found = await findPassword(password, hashes, { known: memberId });
    if (!stored || found < 0 || methods.length > 0) throw new Problem('SECOND_FACTOR_REFUSED');
    return async ({ manager }) => {
      const now = await manager.findOneBy(MemberEntity, { id: memberId });
      if (!now?.passwordHash || storedPasswordId(now.passwordHash) !== storedPasswordId(stored))
        throw new Problem('SECOND_FACTOR_REFUSED');
      await manager.update(SecondFactorEntity, { memberId }, { tries: 0 });
    };
  }
}

/** The ways in which a member can finish a sign-in; none for one without a second factor. */
export async function methodsOf(manager: EntityManager, memberId: string): Promise<ProofMethod[]> {
  const row = await manager.findOneBy(SecondFactorEntity, { memberId });
  const methods: ProofMethod[] = row?.totpConfirmed ? ['totp'] : [];
  if (await manager.existsBy(PasskeyEntity, { memberId })) methods.unshift('passkey');
  if (methods.length > 0 && row && row.recoveryHashes.length > 0) methods.push('recovery_code');
  return methods;
}

/** New recovery codes, of which hashes are kept; the old ones end. */
export function renewCodes(row: SecondFactorEntity): string[] {
  const codes = Array.from({ length: recoveryCodesMax }, () => new Secret({ size: 15 }).base32);
  row.recoveryHashes = codes.map(hashOf);
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-').toLowerCase());
}

/** 120 random bits need no salt and no stretching (OWASP ASVS 5.0, V6.5.2). */
const hashOf = (code: string): string =>
  hash('sha256', code.toUpperCase().replaceAll(/[^A-Z2-7]/g, ''));

/** Recovery codes stand in for another factor: they go with the last one. */
export async function endRecoveryCodes(manager: EntityManager, memberId: string): Promise<void> {
  if ((await methodsOf(manager, memberId)).length > 0) return;
  await manager.update(SecondFactorEntity, { memberId }, { recoveryHashes: [] });
}

export const lockFactors = (
  manager: EntityManager,
  memberId: string,
): Promise<SecondFactorEntity | null> =>
  manager.findOne(SecondFactorEntity, {
    where: { memberId },
    lock: { mode: 'pessimistic_write' },
  });

const makeRow = statement<object>(
  'access.make_second_factors',
  `INSERT INTO second_factors (tenant_id, member_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
);

/** The row of a member, locked, made where there was none. */
export async function ownFactors(
  { manager, rows }: Changing,
  memberId: string,
): Promise<SecondFactorEntity> {
  await rows(makeRow, [memberId]);
  return manager.findOneOrFail(SecondFactorEntity, {
    where: { memberId },
    lock: { mode: 'pessimistic_write' },
  });
}
