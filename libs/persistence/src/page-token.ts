import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Problem } from '@postroom/contracts/problems';

/** The position of a cursor scan through a list. */
export interface Cursor {
  /** The snapshot that all pages show, in the list's own notation: any text without a space. */
  readonly asOf: string;
  /** Time of the first page, epoch milliseconds: what "now" means on all pages of the scan. */
  readonly beganAtMs: number;
  /** Sort key and id of the last row of the page before. */
  readonly after: { readonly atMs: number; readonly id: string };
}

const macBytes = 16;

/**
 * Issues and reads page tokens: opaque, unforgeable, and bound to a query (operation, workspace and
 * every parameter but `limit`), so that the token of another query or workspace is refused like random
 * text. Pages follow a keyset, never an offset: inserts between pages neither repeat nor hide a row.
 */
export class PageTokens {
  /** Made once, because an HMAC with raw bytes costs six times one with a KeyObject. */
  private readonly keys: readonly [KeyObject, ...KeyObject[]];

  /** @param keys the current key first; tokens under the older ones are still accepted */
  constructor([current, ...older]: readonly [Buffer, ...Buffer[]]) {
    this.keys = [createSecretKey(current), ...older.map((key) => createSecretKey(key))];
  }

  issue(query: string, cursor: Cursor): string {
    const { asOf, beganAtMs, after } = cursor;
    const payload = Buffer.from(`${asOf} ${beganAtMs} ${after.atMs} ${after.id}`);
    return Buffer.concat([mac(this.keys[0], query, payload), payload]).toString('base64url');
  }

  /** @throws Problem INVALID_PAGE_TOKEN for any text that was not issued for this query */
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
    // A token of an earlier version has fewer parts.
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
