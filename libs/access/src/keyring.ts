import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt, nonceBytes } from './encryption.js';

/**
 * Secrets at rest: AES-256-GCM under a ring of keys that can be rotated. The ring is configured as
 * `id:base64(32 bytes)`, comma-separated; the first key encrypts, all decrypt. To rotate, put a new
 * key first, have `postroom secrets reseal` encrypt again what older ones have encrypted, then drop these.
 *
 * An encrypted secret is the text `<keyid>.<nonce>.<ciphertext and tag>`, base64url after the id.
 */

/**
 * A column of a service that holds encrypted secrets. The functions in the database that find them by key,
 * `postroom secrets reseal` and the check of removed keys follow from it.
 */
export interface SealedColumn {
  /** In the schema of the service. */
  readonly table: string;
  readonly column: string;
  /** The name of the encrypted value, if the column is JSON. */
  readonly field?: string;
  /** The column that names the row. */
  readonly key: string;
  /**
   * The place of a secret, such as `mail.mailboxes.outgoing:`, to which the row's name is appended. It is
   * authenticated, so that a text moved to another row or column cannot be decrypted there.
   */
  readonly context: string;
}

/** A subkey of the ring for one purpose, and the same of every older key. 32 bytes each. */
export interface DerivedKeys {
  /** Makes new tokens and signatures. */
  readonly current: Buffer;
  /** Accepts old ones as well: the current first, then the others in the ring's order. */
  readonly all: readonly Buffer[];
}

interface RingKey {
  readonly id: string;
  readonly material: Buffer;
  readonly encrypting: Buffer;
}

const keyBytes = 32;

const entryShape = /^(?<id>[A-Za-z0-9_-]{1,32}):(?<key>[A-Za-z0-9+/]{43}=)$/;
const encryptedShape = /^(?<id>[A-Za-z0-9_-]{1,32})\.(?<nonce>[\w-]{16})\.(?<body>[\w-]{22,})$/;

/** Each purpose has a subkey of its own (HKDF-SHA-256, RFC 5869); ring keys encrypt nothing. */
const subkey = (material: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', material, '', `postroom/${purpose}`, keyBytes));

function parseEntry(entry: string, position: number): RingKey {
  const { id, key } = entryShape.exec(entry)?.groups ?? {};
  if (!id || !key) {
    throw new Error(`Key ${position + 1} of the keyring is not <id>:<base64 of 32 bytes>.`);
  }
  const material = Buffer.from(key, 'base64');
  return { id, material, encrypting: subkey(material, 'seal') };
}

/** A set of keys that encrypts secrets, decrypts them, and yields subkeys. */
export class Keyring {
  private constructor(
    private readonly current: RingKey,
    private readonly keys: ReadonlyMap<string, RingKey>,
    private readonly columns: readonly SealedColumn[],
  ) {}

  /**
   * Reads the ring from its setting.
   *
   * @param columns the columns that the service has declared; it encrypts for no others
   * @throws Error that names the faulty entry by its place, never by its text
   */
  static parse(text: string, columns: readonly SealedColumn[] = []): Keyring {
    const keys = text.split(',').map((entry, position) => parseEntry(entry.trim(), position));
    const byId = new Map(keys.map((key) => [key.id, key]));
    const [current] = keys;
    if (!current || byId.size < keys.length) throw new Error('The keyring has one id twice.');
    return new Keyring(current, byId, columns);
  }

  /** The ids of its keys, the one that encrypts first. */
  get ids(): readonly string[] {
    return [...this.keys.keys()];
  }

  /**
   * Encrypts a secret for a row of a column.
   *
   * @throws Error for a column that was not declared: nothing would encrypt its secrets again
   */
  encrypt(secret: string | Uint8Array, column: SealedColumn, row: string): string {
    if (!this.columns.includes(column)) {
      throw new Error(`The column ${column.table}.${column.column} is not declared as sealed.`);
    }
    const plain = typeof secret === 'string' ? Buffer.from(secret) : secret;
    const encrypted = encrypt(this.current.encrypting, plain, column.context + row);
    const parts = [encrypted.subarray(0, nonceBytes), encrypted.subarray(nonceBytes)];
    return [this.current.id, ...parts.map((part) => part.toString('base64url'))].join('.');
  }

  /**
   * Decrypts what {@link encrypt} made for the same row and column.
   *
   * @throws Error for a malformed text, a key that is not in the ring, and a secret that was
   *   altered or encrypted for another place
   */
  decrypt(encrypted: string, column: SealedColumn, row: string): Buffer {
    const context = column.context + row;
    const { id, nonce, body } = encryptedShape.exec(encrypted)?.groups ?? {};
    if (!id || !nonce || !body) throw new Error(`The encrypted secret of ${context} is malformed.`);
    const key = this.keys.get(id);
    if (!key) throw new Error(`The keyring lacks the key "${id}" that encrypted ${context}.`);
    const bytes = Buffer.concat([nonce, body].map((part) => Buffer.from(part, 'base64url')));
    try {
      return decrypt(key.encrypting, bytes, context);
    } catch (cause) {
      const fault = 'was altered, or encrypted for another place or under another key of that id';
      throw new Error(`The encrypted secret of ${context} ${fault}.`, { cause });
    }
  }

  /** {@link decrypt} for a text. */
  decryptText(encrypted: string, column: SealedColumn, row: string): string {
    return this.decrypt(encrypted, column, row).toString('utf8');
  }

  /**
   * Subkeys for another purpose than encrypting secrets, such as signing page tokens.
   *
   * @param label the purpose, such as `page-token`; another label gives unrelated keys
   */
  derive(label: string): DerivedKeys {
    const all = [...this.keys.values()].map(({ material }) => subkey(material, `derive/${label}`));
    return { current: subkey(this.current.material, `derive/${label}`), all };
  }
}
