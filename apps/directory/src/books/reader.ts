import { isAdministrator, memberOf, type Caller } from '@postroom/access';

/** Whose access to books is asked about. */
export interface Reader {
  readonly memberId: string;
  /** An administrator sees and writes every book. */
  readonly isAdmin: boolean;
}

/** The reader behind a caller; operations on contacts need a member (public-api.md §4, rule 4). */
export const readerOf = (caller: Caller): Reader => ({
  memberId: memberOf(caller) ?? '',
  isAdmin: isAdministrator(caller),
});
