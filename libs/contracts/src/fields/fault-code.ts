/** Kinds of faults of a field, for programs (`decisions.md` §1). */
export const faultCodes = [
  'REQUIRED',
  'UNKNOWN_FIELD',
  'WRONG_TYPE',
  'TOO_LONG',
  'TOO_SHORT',
  'TOO_LARGE',
  'TOO_SMALL',
  'NOT_A_NUMBER',
  'UNKNOWN_VALUE',
  'MALFORMED',
] as const;

export type FaultCode = (typeof faultCodes)[number];
