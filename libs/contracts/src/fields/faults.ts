import type { FaultCode } from './fault-code.js';

/** The same short sentence in the languages of the surfaces: public texts French, the rest English. */
export interface Wording {
  readonly fr: string;
  readonly en: string;
}

/** A fault inside a value, and its place. */
export interface InnerFault {
  /** Dotted path within the value, `3` or `3.name`; empty for the value as a whole. */
  readonly at: string;
  readonly message: Wording;
  /** By default MALFORMED. */
  readonly fault?: FaultCode;
}

/** One fault of an input: where, and what was expected there. */
export interface Violation {
  /** Dotted path, `mailboxes.0.address`; empty for the body as a whole. */
  readonly field: string;
  readonly message: Wording;
  /** The kind of fault, for programs: the `code` of an answer's `details`; MALFORMED where it is not said. */
  readonly fault?: FaultCode;
  /** The stable code that a family of codes answers, where the field has one of its own. */
  readonly code?: string;
  /** It is refused as too large (413), where nothing is wrong but that. */
  readonly tooLarge?: true;
}

/** Messages for a name of something that does not exist, by the kind of reference. */
const unknown = {
  memberIds: { fr: 'membre inconnu', en: 'there is no such member' },
  activeMember: { fr: 'membre inconnu ou inactif', en: 'there is no such active member' },
  team: { fr: 'équipe inconnue', en: 'there is no such team' },
  conversation: { fr: 'conversation inconnue', en: 'there is no such conversation' },
} as const;

/** Kinds of reference: ids of members, the address of an active member, the id of a team or conversation. */
export type Reference = keyof typeof unknown;

/** The message for a name that the workspace does not have. */
export const unknownReference = (reference: Reference): Wording => unknown[reference];
