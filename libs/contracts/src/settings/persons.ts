import { Count, Email, Flag, Part, Text } from '../fields/index.js';
import { family, operation } from '../operation.js';

const many = Number.MAX_SAFE_INTEGER;
const placeMax = 200;

/** Input of an export. */
export class ExportPerson {
  @Email('The correspondent’s address.')
  email!: string;

  @Text('Goes on after this place.', { max: placeMax, default: '' })
  after!: string;
}

/** A part of an export. */
export class PersonLines {
  @Text('Lines, each with its end.', { max: 4_000_000 })
  lines!: string;

  @Text('Where the next part begins; null after the last.', { max: placeMax, nullable: true })
  after!: string | null;
}

/** Input of an erasure. */
export class ErasePerson {
  @Email('The correspondent’s address.')
  email!: string;

  @Flag('Count what would be erased, and change nothing.', { default: false })
  dryRun!: boolean;

  @Text('Goes on after this place.', { max: placeMax, default: '' })
  after!: string;
}

/** Counts of what an erasure concerns. */
export class ErasureCounts {
  @Count('Messages from the person, which are emptied.', { max: many })
  messages!: number;

  @Count('Other messages whose addresses name the person.', { max: many })
  mentions!: number;

  @Count('Drafts that are addressed to the person.', { max: many })
  drafts!: number;

  @Count('Contacts with the address, which are deleted.', { max: many })
  contacts!: number;

  @Count('Events that the person organizes or attends.', { max: many })
  events!: number;
}

/** An erasure, done or counted. */
export class Erasure extends ErasureCounts {
  @Flag('True where nothing was changed.')
  dryRun!: boolean;
}

/** Answer of an erasure. */
export class ErasureAnswer {
  @Part(() => Erasure, 'What was erased, or would be.')
  erasure!: Erasure;
}

/** A step of an erasure in one service. */
export class ErasureStep extends ErasureCounts {
  @Text('Where the next step begins; null after the last.', { max: placeMax, nullable: true })
  after!: string | null;
}

/** The address that stands where an erased one was; no mail reaches it (RFC 2606). */
export const erasedAddress = 'erased@erased.invalid';

/** A correspondent's data (`decisions.md` §9). */
export const persons = family(
  'access',
  'persons',
  {
    export: operation({
      http: 'GET /persons/export',
      answer: 'lines',
      summary: 'Export what is kept of a correspondent',
      description: `NDJSON, a line \`{ type, data }\` each: \`message\` (from or to the address), \`contact\`, \`event\`.
A message is followed by its bytes as they came or left, as \`eml\` lines \`{ id, start, base64 }\` of 128 KiB each.`,
      input: ExportPerson,
      output: PersonLines,
      problems: ['OWN_ADDRESS'],
    }),
    erase: operation({
      http: 'POST /erasures',
      effect: 'intake',
      answer: 'steps',
      summary: 'Erase a correspondent',
      description: `Messages from the address lose their texts, subject, files and bytes; contacts with it are
deleted; elsewhere (recipients, participants, drafts, attendees, header fields of kept bytes) it becomes
\`${erasedAddress}\`. What members and others have written stays. With \`dryRun\` it is only counted. It is done in steps,
and a repeat finishes one that was cut short. What is kept for a time (events of 7 days, answers of
24 hours, backups) goes when that is over.`,
      input: ErasePerson,
      output: ErasureAnswer,
      problems: ['OWN_ADDRESS'],
    }),
  },
  { audience: 'member', admin: true },
);

const exporting = {
  summary: 'Read a part of what the service keeps of a correspondent',
  input: ExportPerson,
  output: PersonLines,
  problems: ['OWN_ADDRESS'],
} as const;

const erasing = {
  summary: 'Erase a part of what the service keeps of a correspondent',
  input: ErasePerson,
  output: ErasureStep,
  problems: ['OWN_ADDRESS'],
  audit: 'persons.erase',
  isAudited: ({ dryRun, after }: ErasePerson) => !dryRun && after === '',
} as const;

/** Requests of the gateway to the services that keep data of correspondents. */
export const mailPersons = family(
  'mail',
  'mailPersons',
  {
    export: operation({ ...exporting, http: 'GET /services/mail/persons' }),
    erase: operation({ ...erasing, http: 'POST /services/mail/erasures' }),
  },
  { audience: 'service' },
);

export const directoryPersons = family(
  'directory',
  'directoryPersons',
  {
    export: operation({ ...exporting, http: 'GET /services/directory/persons' }),
    erase: operation({
      ...erasing,
      http: 'POST /services/directory/erasures',
      emits: ['contact.deleted'],
    }),
  },
  { audience: 'service' },
);

export const schedulingPersons = family(
  'scheduling',
  'schedulingPersons',
  {
    export: operation({ ...exporting, http: 'GET /services/scheduling/persons' }),
    erase: operation({ ...erasing, http: 'POST /services/scheduling/erasures' }),
  },
  { audience: 'service' },
);
