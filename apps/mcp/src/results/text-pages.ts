import { cut } from './visible-text.js';

/** Characters of message texts in one result. */
export const charactersMax = 20_000;

/** Messages in one result. */
const messagesMax = 50;

/** A part of the text of an item. */
export interface Slice<T> {
  readonly item: T;
  readonly text: string;
  /** Offset in its text. */
  readonly from: number;
  readonly isWhole: boolean;
}

export interface Page<T> {
  readonly slices: readonly Slice<T>[];
  /** Offset of the next page; null after the last. */
  readonly nextOffset: number | null;
}

/**
 * A page of texts, one after the other: an offset counts their characters, and one more for each text,
 * so that an empty one has a place too.
 */
export function pageOf<T extends { readonly text: string }>(
  items: readonly T[],
  offset: number,
): Page<T> {
  const slices: Slice<T>[] = [];
  let begin = 0;
  let room = charactersMax;
  for (const item of items) {
    const { length } = item.text;
    const from = Math.max(0, offset - begin);
    if (from <= length) {
      if (room <= 0 || slices.length === messagesMax) return { slices, nextOffset: begin + from };
      const text = cut(item.text.slice(from), room);
      slices.push({ item, text, from, isWhole: text.length === length });
      if (from + text.length < length) return { slices, nextOffset: begin + from + text.length };
      room -= text.length;
    }
    begin += length + 1;
  }
  return { slices, nextOffset: null };
}
