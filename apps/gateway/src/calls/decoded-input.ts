import { decode, Problem, type Operation, type Violation } from '@postroom/contracts';

/** What an input is made of: texts (of path, query and headers), which win, and a JSON body. */
export interface RawInput {
  readonly texts?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/**
 * Step 9 of `decisions.md` §2: the validated input of an operation.
 * @throws Problem INVALID_REQUEST, ATTACHMENTS_TOO_LARGE
 */
export function decodedInput(operation: Operation, { texts = {}, body }: RawInput): object {
  const { unknownFields } = operation;
  const { input, violations } = decode(operation.input, { texts, body, unknownFields });
  if (violations) throw invalidInput(violations);
  const faults = operation.rule(input);
  const wrong = faults.filter(({ tooLarge }) => !tooLarge);
  if (wrong.length > 0) throw invalidInput(wrong);
  if (faults.length > 0) throw new Problem('ATTACHMENTS_TOO_LARGE');
  return input;
}

/** The refusal of an input with these faults. */
export const invalidInput = (violations: readonly Violation[]): Problem =>
  new Problem('INVALID_REQUEST', { violations });
