import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Problem } from '@postroom/contracts/plain';

/** Where a walk through a list stands. */
export interface Cursor {
  /** As of when the list is shown, in the walk's own words: any text without a space. */
  readonly asOf: string;
  /** Time of the first page, epoch milliseconds: judges what depends on "now" for the whole walk. */
  readonly beganAtMs: number;
  /** Sort key and id of the last row shown. */
  readonly after: { readonly atMs: number; readonly id: string };
}

const macBytes = 16;

/**
 * Makes and reads page tokens: opaque, unforgeable, and bound to a query (operation, workspace and
 * every parameter but `limit`), so that a token of another query or workspace is as bad as a random
 * text. Keyset, never offset: inserts between pages neither repeat nor hide a row.
 */
export class PageTokens {
  /** Prepared once: an HMAC under raw bytes costs six times one under a KeyObject. */
  private readonly keys: readonly [KeyObject, ...KeyObject[]];

  /** `keys`: the current key first, older ones are still read. */
  constructor([current, ...older]: readonly [Buffer, ...Buffer[]]) {
    this.keys = [createSecretKey(current), ...older.map((key) => createSecretKey(key))];
  }

  issue(query: string, cursor: Cursor): string {
    const { asOf, beganAtMs, after } = cursor;
    const payload = Buffer.from(`${asOf} ${beganAtMs} ${after.atMs} ${after.id}`);
    return Buffer.concat([mac(this.keys[0], query, payload), payload]).toString('base64url');
  }

  /** @throws Problem INVALID_PAGE_TOKEN for anything this query was not given. */
  read(query: string, token: string): Cursor {
    const bytes = Buffer.from(token, 'base64url');
    const payload = bytes.subarray(macBytes);
    // Re-encoding refuses the other spellings of the same bytes that base64url decoding forgives.
    const genuine =
      bytes.toString('base64url') === token &&
      bytes.length > macBytes &&
      this.keys.some((key) =>
        timingSafeEqual(mac(key, query, payload), bytes.subarray(0, macBytes)),
      );
    const [asOf, beganAt, at, id] = genuine ? payload.toString().split(' ') : [];
    // Of an earlier version it has less in it.
    if (asOf === undefined || id === undefined) throw unusable();
    return {
      asOf,
      beganAtMs: Number(beganAt),
      after: { atMs: Number(at), id },
    };
  }
}

const unusable = (): Problem => {
  const message = { fr: 'jeton d’une autre requête', en: 'a token of another query' };
  return new Problem('INVALID_PAGE_TOKEN', { violations: [{ field: 'pageToken', message }] });
};

const mac = (key: KeyObject, query: string, payload: Buffer): Buffer =>
  createHmac('sha256', key)
    .update(`${Buffer.byteLength(query)}:${query}`)
    .update(payload)
    .digest()
    .subarray(0, macBytes);
