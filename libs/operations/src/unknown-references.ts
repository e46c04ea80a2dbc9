import { Problem, unknownReference, type Operation, type Violation } from '@postroom/contracts';

/**
 * What an input names and the workspace does not have, by field: members who have left, teams that
 * are gone. The gateway knows, and says so; the operation judges, after it has looked for a repeat.
 */
export type UnknownReferences = Readonly<Record<string, readonly string[]>>;

/** It travels in the input, which is signed, under a name that no field has. */
const place = '$absent';

/** The input on its way to a service. */
export const withUnknownReferences = (input: object, absent: UnknownReferences): object =>
  Object.keys(absent).length > 0 ? { ...input, [place]: absent } : input;

/** What came with the values of an input. */
export const unknownReferencesFrom = (values: object): UnknownReferences =>
  (Object.getOwnPropertyDescriptor(values, place)?.value as UnknownReferences | undefined) ?? {};

/** The fields that name what is not there. */
export const unknownReferenceFaults = (
  { fields }: Operation,
  absent: UnknownReferences,
): readonly Violation[] =>
  fields.body.flatMap(({ name, refersTo }) =>
    refersTo && (absent[name] ?? []).length > 0
      ? [{ field: name, message: unknownReference(refersTo) }]
      : [],
  );

/** What is absent, as an operation judges it: all that it does not pardon is refused. */
export class UnknownReferenceCheck {
  private readonly left: Map<string, readonly string[]>;

  constructor(
    private readonly operation: Operation,
    absent: UnknownReferences,
  ) {
    this.left = new Map(Object.entries(absent));
  }

  /** @returns what the field names again, and is gone */
  allow(field: string, before: readonly (string | null)[]): readonly string[] {
    const absent = this.left.get(field) ?? [];
    const gone = absent.filter((name) => before.includes(name));
    this.left.set(
      field,
      absent.filter((name) => !gone.includes(name)),
    );
    return gone;
  }

  /** @throws Problem INVALID_REQUEST */
  refuseOthers(): void {
    const violations = unknownReferenceFaults(this.operation, Object.fromEntries(this.left));
    if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
  }
}
