import { Problem, referencesOf, unknownReference, type Operation } from '@postroom/contracts';

/**
 * References of an input, by the path of their field, that the workspace does not have: members who have left,
 * deleted teams, conversations of others. The gateway looks them up; the service refuses them, after it has looked
 * for a repeat.
 */
export type UnknownReferences = Readonly<Record<string, readonly string[]>>;

/** The same in the envelope of a request. */
interface References {
  readonly unknown: readonly { readonly field: string; readonly name: string }[];
}

/** Encodes them for the envelope; null when there are none. */
export function encodeUnknown(unknown: UnknownReferences): string | null {
  const list = Object.entries(unknown).flatMap(([field, names]) =>
    names.map((name) => ({ field, name })),
  );
  return list.length > 0 ? JSON.stringify({ unknown: list } satisfies References) : null;
}

/** The unknown references of an input: an operation refuses those that it does not allow. */
export class UnknownReferenceCheck {
  private left: References['unknown'];

  /** @param references as an envelope has them */
  constructor(
    private readonly operation: Operation,
    references: string,
  ) {
    this.left = (JSON.parse(references) as References).unknown;
  }

  /** @returns what the field names again, and is gone */
  allow(field: string, before: readonly (string | null)[]): readonly string[] {
    const isAllowed = (one: References['unknown'][number]): boolean =>
      one.field === field && before.includes(one.name);
    const gone = this.left.filter(isAllowed);
    this.left = this.left.filter((one) => !isAllowed(one));
    return gone.map(({ name }) => name);
  }

  /** @throws Problem INVALID_REQUEST */
  refuseOthers(): void {
    const isLeft = (name: string): boolean => this.left.some(({ field }) => field === name);
    const violations = referencesOf(this.operation.fields.body)
      .filter(({ field }) => isLeft(field))
      .map(({ field, refersTo }) => {
        const message = unknownReference(refersTo);
        return { field, fault: 'UNKNOWN_VALUE' as const, message };
      });
    if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
  }
}
