import { Count, ListOf, Text } from './fields/index.js';

const many = Number.MAX_SAFE_INTEGER;

/** Unreadable entries that an answer tells of one by one. */
export const unreadableMax = 1000;

/** Bytes of an entry of a file; a larger one, such as a card with a large photo, is unreadable. */
export const entryBytesMax = 256 * 1024;

/** Entries of a step of an import. */
export const entryBatchMax = 100;

/** An entry of a file that cannot be taken. */
export class UnreadableEntry {
  @Count('Which one, from 1: the header of a table does not count.', { max: many })
  entry!: number;

  @Text('Why it is none.', { max: 200 })
  reason!: string;
}

/** What became of the entries of an import. */
export class EntryCounts {
  @Count('Entries that were created.', { max: many })
  created!: number;

  @Count('Entries that were there already, and what was given has overwritten.', { max: many })
  updated!: number;

  @ListOf(() => UnreadableEntry, 'Entries that cannot be taken; the first 1,000.', {
    max: unreadableMax,
  })
  unreadable!: UnreadableEntry[];
}

/** Answer of an import. */
export class ImportOutcome extends EntryCounts {
  @Count('All entries that cannot be taken.', { max: many })
  unreadableCount!: number;
}
