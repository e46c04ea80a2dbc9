import {
  Count,
  type Dto,
  faultCodes,
  type FaultCode,
  Flag,
  Id,
  ListOf,
  OneOf,
  Part,
  Text,
} from './fields/index.js';
import { Nothing } from './inputs.js';
import { scopeNames, type Scope } from './scopes.js';

/** A correspondent of a message. */
export class Correspondent {
  // A text: what stands in a header need not be an address we would accept.
  @Text('Mail address, as the message gave it.', { max: 998 })
  email!: string;

  @Text('Display name; null when the message gave none.', { max: 998, nullable: true })
  name!: string | null;
}

/** A person who has written, or taken part: one who gave a name alone has no address. */
export class Participant {
  @Text('Mail address, as the message gave it; null when it gave a name alone.', {
    max: 998,
    nullable: true,
  })
  email!: string | null;

  @Text('Display name; null when the message gave none.', { max: 998, nullable: true })
  name!: string | null;
}

/**
 * Bytes that go out as they are, under these headers: a file, the one success that is not JSON
 * (`decisions.md` §4), or the answer of an operation that writes its own text.
 */
export class FileAnswer {
  constructor(
    readonly bytes: Buffer = Buffer.alloc(0),
    /** `content-type` among them. */
    readonly headers: Readonly<Record<string, string>> = {},
    /** That of success, when not given. */
    readonly status: number | null = null,
    /** A file that the handler has put into the blob store piece by piece, instead of `bytes`. */
    readonly stored: { readonly reference: string; readonly size: number } | null = null,
  ) {}
}

/** The answer of an operation that has nothing else to say. */
export class Done {
  @Flag('Always true.')
  ok!: boolean;
}

/** One field at fault, of a 400. */
export class FieldFault {
  @Text('Dotted path of the field; empty for the body as a whole.', { max: 200 })
  field!: string;

  @OneOf(faultCodes, 'What is wrong with it, for programs.')
  code!: FaultCode;

  @Text('What was expected there. It may change: never test on it.', { max: 1000 })
  message!: string;
}

/** Fields of every refusal beside its error (`decisions.md` §1). */
export class Refusal {
  @Text('The request, as `X-Request-Id` names it: give it to support.', { max: 64 })
  requestId!: string;

  @Text('Which refusal it is: stable, upper case. Test on it, never on a text.', { max: 60 })
  code!: string;

  @ListOf(() => FieldFault, 'The fields at fault.', { max: 20, optional: true })
  details?: FieldFault[];

  @OneOf(scopeNames, 'The scope that the key lacks.', { optional: true })
  requiredScope?: Scope;
}

/** The body of a refusal in the families that answer texts (public-api.md §7). */
export class ErrorBody extends Refusal {
  @Text(
    'What went wrong, in French, or in English where `Accept-Language` prefers it. It may change: never test on it.',
    { max: 1000 },
  )
  error!: string;
}

/** An answer with a list that has no pages: it ends early where it would be larger than 8 MiB. */
export class WholeList {
  @Flag('True if its last items are left out, since an answer has 8 MiB at most.', {
    optional: true,
  })
  truncated?: boolean;
}

/** The body of a refusal of the settings API (`decisions.md` §9). */
export class SettingsErrorBody {
  @Text('Which refusal it is: stable, upper case. Test on it.', { max: 60 })
  error!: string;

  @Text('What went wrong, in English. It may change: never test on it.', { max: 1000 })
  message!: string;

  @Text('The request, as `X-Request-Id` names it: give it to support.', { max: 64 })
  requestId!: string;

  @ListOf(() => FieldFault, 'The fields at fault.', { max: 20, optional: true })
  details?: FieldFault[];
}

/** Pages of the settings API. */
export class SettingsPage extends WholeList {
  @Text('Always null: the lists of the settings have no pages.', { max: 2000, nullable: true })
  nextPageToken!: string | null;
}

/** The answer that is one thing, under its name, beside what `base` has. */
export function AnswerOf<const N extends string, P extends object, B extends object = Nothing>(
  name: N,
  dto: () => Dto<P>,
  about: string,
  base: Dto<B> = Nothing as Dto<B>,
): Dto<B & Record<N, P>> {
  const answer = class extends (base as Dto) {};
  (Part(dto, about) as PropertyDecorator)(answer.prototype, name);
  return answer as Dto<B & Record<N, P>>;
}

/** A list of the settings API. */
export function PageOf<P extends object>(dto: () => Dto<P>, about: string, max: number) {
  class Page extends SettingsPage {
    @ListOf(dto, about, { max })
    items!: P[];
  }
  return Page;
}

/** A workspace as its members see it. */
export class Tenant {
  @Id('ten', 'The workspace.')
  id!: string;

  @Text('Name of the workspace.', { max: 80 })
  name!: string;
}

const many = Number.MAX_SAFE_INTEGER;

/** Unreadable entries that an answer lists one by one. */
export const unreadableMax = 1000;

/** Bytes of an entry of a file; a larger one is unreadable. */
export const entryBytesMax = 256 * 1024;

/** Entries of a step of an import. */
export const entryBatchMax = 100;

/** An entry of a file that cannot be taken. */
export class UnreadableEntry {
  @Count('Which one, from 1: the header of a table does not count.', { max: many })
  entry!: number;

  @Text('Why it is none.', { max: 200 })
  reason!: string;
}

/** An entry of a file that was taken, but not whole. */
export class ImportWarning {
  @Count('Which one, from 1: the header of a table does not count.', { max: many })
  entry!: number;

  @Text('What of it was changed, cut or left out.', { max: 200 })
  reason!: string;
}

/** Counts of the entries of an import. */
export class EntryCounts {
  @Count('Entries that were created.', { max: many })
  created!: number;

  @Count('Entries that were there already, and what was given has overwritten.', { max: many })
  updated!: number;

  @ListOf(() => UnreadableEntry, 'Entries that cannot be taken; the first 1,000.', {
    max: unreadableMax,
  })
  unreadable!: UnreadableEntry[];

  @ListOf(
    () => ImportWarning,
    'Entries of which something was changed, cut or left out, because it cannot be kept; the first 1,000.',
    { max: unreadableMax },
  )
  warnings!: ImportWarning[];
}

/** Answer of an import. */
export class ImportOutcome extends EntryCounts {
  @Count('All entries that cannot be taken.', { max: many })
  unreadableCount!: number;

  @Count('All entries of which something was changed, cut or left out.', { max: many })
  warningCount!: number;
}
