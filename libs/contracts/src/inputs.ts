import { Id, IfMatch, withOptional, type Dto } from './fields/index.js';
import type { IdPrefix } from './ids.js';

/** Input of an operation that needs nothing. */
export class Nothing {}

/** Input that names a record by its path. */
export function IdOf(prefix: IdPrefix, about: string) {
  class Named {
    @Id(prefix, about)
    id!: string;
  }
  return Named;
}

/** Input that names a record by its path and may say which version of it was read. */
export function VersionOf(prefix: IdPrefix, about: string) {
  class Versioned extends IdOf(prefix, about) {
    @IfMatch()
    ifMatch?: number;
  }
  return Versioned;
}

/** Input of a change: the record, and fields of its creation; what is absent stays. */
export const ChangeOf = <S extends object, const K extends keyof S & string>(
  prefix: IdPrefix,
  about: string,
  creation: Dto<S>,
  names: readonly K[],
) => withOptional(VersionOf(prefix, about), creation, names);
