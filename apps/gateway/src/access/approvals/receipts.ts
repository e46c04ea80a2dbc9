import { Injectable } from '@nestjs/common';
import { Keyring } from '@postroom/access';
import { Database, statement } from '@postroom/persistence';
import {
  calculateJwkThumbprint,
  CompactSign,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose';
import { receiptKeySeal } from '../../sealed-columns.js';
import type { ApprovalRow } from './approval-rows.js';

/** A signing key is used for so many days; its public part is published for as long as receipts are kept. */
const rotationDays = 30;
/** A gateway uses the key that it has read for so long. */
const knownForMs = 60 * 60_000;

const currentKey = statement<{ kid: string; sealed_private_key: string }>(
  'access.current_receipt_key',
  'SELECT * FROM current_receipt_key($1)',
);
const addKey = statement<object>('access.add_receipt_key', 'SELECT add_receipt_key($1, $2, $3)');
const publishedKeys = statement<{ jwk: JWK }>(
  'access.published_receipt_keys',
  'SELECT jwk FROM published_receipt_keys()',
);

interface SigningKey {
  readonly kid: string;
  readonly key: CryptoKey | Uint8Array;
}

/** A person's decision, whatever came of it; without one, the way it ended. */
const decisionOf = ({ state, decidedBy }: ApprovalRow): string =>
  decidedBy === null || state === 'rejected' ? state : 'approved';

/** Signs receipts of closed approvals: compact JWS, EdDSA with Ed25519 (RFC 7515, RFC 8037). */
@Injectable()
export class Receipts {
  private known: { readonly signing: SigningKey; readonly untilMs: number } | null = null;

  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {}

  async sign(row: ApprovalRow): Promise<string> {
    const { kid, key } = await this.signingKey();
    const claims = {
      jti: row.id,
      iat: Math.floor(Date.now() / 1000),
      operation: row.operation,
      payloadHash: row.approvedPayloadHash ?? row.payloadHash,
      ...(row.approvedPayloadHash !== null && { filedPayloadHash: row.payloadHash }),
      decision: decisionOf(row),
      decidedBy: row.decidedBy,
      decidedAt: row.decidedAt,
      status: row.resultStatus,
    };
    return new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'JWT' })
      .sign(key);
  }

  /** The JSON Web Key Set (RFC 7517) that receipts are verified with. */
  async keySet(): Promise<{ keys: readonly JWK[] }> {
    const rows = await this.database.rows(publishedKeys, []);
    return { keys: rows.map(({ jwk }) => ({ ...jwk, alg: 'EdDSA', use: 'sig' })) };
  }

  /** Reads the key, where it has to be, for what signs in a transaction: there it would need a second connection. */
  async ready(): Promise<void> {
    await this.signingKey();
  }

  private async signingKey(): Promise<SigningKey> {
    if (this.known && this.known.untilMs > performance.now()) return this.known.signing;
    const signing = (await this.stored()) ?? (await this.made());
    this.known = { signing, untilMs: performance.now() + knownForMs };
    return signing;
  }

  private async stored(): Promise<SigningKey | null> {
    const [row] = await this.database.rows(currentKey, [rotationDays]);
    if (!row) return null;
    const { kid, sealed_private_key: encrypted } = row;
    const decrypted = this.decrypted(kid, encrypted);
    return decrypted && { kid, key: await importJWK(decrypted, 'EdDSA') };
  }

  /** Null when the key that encrypted it has left the keyring: another signing key is made then. */
  private decrypted(kid: string, encrypted: string): JWK | null {
    try {
      return JSON.parse(this.keyring.decryptText(encrypted, receiptKeySeal, kid)) as JWK;
    } catch {
      return null;
    }
  }

  private async made(): Promise<SigningKey> {
    const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const publicJwk = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(publicJwk);
    const privateJwk = JSON.stringify(await exportJWK(pair.privateKey));
    const encrypted = this.keyring.encrypt(privateJwk, receiptKeySeal, kid);
    await this.database.rows(addKey, [kid, JSON.stringify(publicJwk), encrypted]);
    return { kid, key: pair.privateKey };
  }
}
