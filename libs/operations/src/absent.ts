import { Problem, unknownReference, type Row, type Violation } from '@postroom/contracts';

/**
 * What an input names and the workspace does not have, by field: members who have left, teams that
 * are gone. The gateway knows, and says so; the operation judges, after it has looked for a repeat.
 */
export type Absent = Readonly<Record<string, readonly string[]>>;

/** It travels in the input, which is signed, under a name that no field has. */
const place = '$absent';

/** The input on its way to a service. */
export const withAbsent = (input: object, absent: Absent): object =>
  Object.keys(absent).length > 0 ? { ...input, [place]: absent } : input;

/** What came with the values of an input. */
export const absentFrom = (values: object): Absent =>
  (Object.getOwnPropertyDescriptor(values, place)?.value as Absent | undefined) ?? {};

/** The fields that name what is not there. */
export const absentFaults = ({ fields }: Row, absent: Absent): readonly Violation[] =>
  fields.body.flatMap(({ name, refersTo }) =>
    refersTo && (absent[name] ?? []).length > 0
      ? [{ field: name, message: unknownReference(refersTo) }]
      : [],
  );

/** What is absent, as an operation judges it: all that it does not pardon is refused. */
export class Absence {
  private readonly left: Map<string, readonly string[]>;

  constructor(
    private readonly row: Row,
    absent: Absent,
  ) {
    this.left = new Map(Object.entries(absent));
  }

  /** @returns what the field names again, and is gone */
  pardon(field: string, before: readonly (string | null)[]): readonly string[] {
    const absent = this.left.get(field) ?? [];
    const gone = absent.filter((name) => before.includes(name));
    this.left.set(
      field,
      absent.filter((name) => !gone.includes(name)),
    );
    return gone;
  }

  /** @throws Problem INVALID_REQUEST */
  refuseRest(): void {
    const violations = absentFaults(this.row, Object.fromEntries(this.left));
    if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
  }
}
