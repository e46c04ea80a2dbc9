import { Problem, unknownReference, type Operation, type Violation } from '@postroom/contracts';

/**
 * References of an input, by field, that the workspace does not have: members who have left, deleted teams. The
 * gateway looks them up; the service refuses them, after it has looked for a repeat.
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

/** Decodes them from an envelope. */
export function decodeUnknown(references: string | null): UnknownReferences {
  if (references === null) return {};
  const { unknown } = JSON.parse(references) as References;
  const byField = Map.groupBy(unknown, ({ field }) => field);
  return Object.fromEntries(
    [...byField].map(([field, all]) => [field, all.map(({ name }) => name)]),
  );
}

/** A violation for each field with an unknown reference. */
const unknownReferenceFaults = (
  { fields }: Operation,
  unknown: UnknownReferences,
): readonly Violation[] =>
  fields.body.flatMap(({ name, refersTo }) =>
    refersTo && (unknown[name] ?? []).length > 0
      ? [{ field: name, message: unknownReference(refersTo) }]
      : [],
  );

/** The unknown references of an input: an operation refuses those that it does not allow. */
export class UnknownReferenceCheck {
  private readonly left: Map<string, readonly string[]>;

  constructor(
    private readonly operation: Operation,
    unknown: UnknownReferences,
  ) {
    this.left = new Map(Object.entries(unknown));
  }

  /** @returns what the field names again, and is gone */
  allow(field: string, before: readonly (string | null)[]): readonly string[] {
    const unknown = this.left.get(field) ?? [];
    const gone = unknown.filter((name) => before.includes(name));
    this.left.set(
      field,
      unknown.filter((name) => !gone.includes(name)),
    );
    return gone;
  }

  /** @throws Problem INVALID_REQUEST */
  refuseOthers(): void {
    const violations = unknownReferenceFaults(this.operation, Object.fromEntries(this.left));
    if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
  }
}
