import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Problem } from '@postroom/contracts/problems';

/**
 * The beginning of a page of a list: sort key and id of the last row of the page before, and what else the
 * list's statement needs to go on from there. Empty on the first page.
 */
export type Cursor = readonly string[];

/** The parameters of a list but `limit`: operation, workspace and every other one. */
export type ListQuery = readonly unknown[];

/** Rows that are shown, and the token of the rows behind them; null where there are none. */
export interface Page<T> {
  readonly rows: T[];
  readonly nextPageToken: string | null;
}

const macBytes = 16;

/**
 * Issues and reads page tokens: opaque, unforgeable, and bound to a query, so that the
 * token of another query or workspace is refused like random text. Pages follow a keyset, never an offset: inserts between pages neither repeat nor hide a row.
 */
export class PageTokens {
  /** Made once, because an HMAC with raw bytes costs six times one with a KeyObject. */
  private readonly keys: readonly [KeyObject, ...KeyObject[]];

  /** @param keys the current key first; tokens under the older ones are still accepted */
  constructor([current, ...older]: readonly [Buffer, ...Buffer[]]) {
    this.keys = [createSecretKey(current), ...older.map((key) => createSecretKey(key))];
  }

  issue(query: ListQuery, cursor: Cursor): string {
    const payload = Buffer.from(JSON.stringify(cursor));
    return Buffer.concat([mac(this.keys[0], query, payload), payload]).toString('base64url');
  }

  /**
   * The cursor of a token; the empty one where no token is given.
   * @throws Problem INVALID_PAGE_TOKEN for any text that was not issued for this query
   */
  read(query: ListQuery, token: string | undefined): Cursor {
    if (token === undefined) return [];
    const bytes = Buffer.from(token, 'base64url');
    const payload = bytes.subarray(macBytes);
    // Re-encoding refuses the other spellings of the same bytes that base64url decoding forgives.
    const genuine =
      bytes.toString('base64url') === token &&
      bytes.length > macBytes &&
      this.keys.some((key) =>
        timingSafeEqual(mac(key, query, payload), bytes.subarray(0, macBytes)),
      );
    if (!genuine) throw unusable();
    return JSON.parse(payload.toString()) as Cursor;
  }

  /**
   * A page of rows.
   * @param found one row more than `limit` where there is a page behind this one
   * @param cursorOf where the next page begins, after a row
   */
  pageOf<T>(
    query: ListQuery,
    found: readonly T[],
    limit: number,
    cursorOf: (last: T) => Cursor,
  ): Page<T> {
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    return {
      rows,
      nextPageToken: last === undefined ? null : this.issue(query, cursorOf(last)),
    };
  }
}

const unusable = (): Problem => {
  const message = { fr: 'jeton d’une autre requête', en: 'a token of another query' };
  return new Problem('INVALID_PAGE_TOKEN', { violations: [{ field: 'pageToken', message }] });
};

function mac(key: KeyObject, query: ListQuery, payload: Buffer): Buffer {
  const text = JSON.stringify(query);
  return createHmac('sha256', key)
    .update(`${Buffer.byteLength(text)}:${text}`)
    .update(payload)
    .digest()
    .subarray(0, macBytes);
}
