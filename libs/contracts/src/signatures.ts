import { Email, Flag, Id, Instant, ListOf, Text, Version } from './fields/index.js';
import { ChangeOf, Nothing, VersionOf } from './inputs.js';
import { family, operation } from './operation.js';
import { AnswerOf, Done, PageOf, WholeList } from './answers.js';

/** Signatures of a workspace: a list of them all has to stay an answer of a few megabytes. */
export const signaturesMax = 200;

/** Text that is written below a message (`decisions.md` §4). */
export class Signature {
  @Id('sig', 'The signature.')
  id!: string;

  @Text('Name.', { max: 120 })
  name!: string;

  @Text('HTML, sanitised.', { max: 1_048_576 })
  html!: string;

  @Text('Plain text.', { max: 1_048_576 })
  text!: string;

  @Email('The mailbox it is for; null for any.', { nullable: true })
  mailbox!: string | null;

  @Flag('Whether it is the one to begin with, of those for the same mailbox.')
  isDefault!: boolean;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}

/** Input of the list. */
export class ListSignatures extends Nothing {}

/** The signatures that a key may use. */
export class SignatureList extends WholeList {
  @ListOf(() => Signature, 'For the key’s mailboxes and for any, by name.', { max: signaturesMax })
  signatures!: Signature[];
}

/** Signatures as integrations see them (public-api.md §4). */
export const signatures = family('mail', 'signatures', {
  list: operation({
    http: 'GET /v1/signatures',
    scope: 'read:conversations',
    summary: 'List the signatures for the mailboxes of the key',
    input: ListSignatures,
    output: SignatureList,
  }),
});

/** Code points of the HTML as given, before it is sanitised. */
const htmlMax = 50_000;
const htmlAbout = 'HTML; what is not safe to show is taken out of it.';
const textAbout = 'Plain text; that of the HTML when it is absent or null.';
const mailboxAbout = 'The mailbox it is for; null for any.';
const defaultAbout = 'The one to begin with for its mailbox; another stops being it.';

/** Input of creation. */
export class CreateSignature {
  @Text('Name.', { max: 120, filled: true })
  name!: string;

  @Text(htmlAbout, { max: htmlMax, filled: true })
  html!: string;

  @Text(textAbout, { max: htmlMax, optional: true, nullable: true })
  text?: string | null;

  @Email(mailboxAbout, { optional: true, nullable: true })
  mailbox?: string | null;

  @Flag(defaultAbout, { default: false })
  isDefault!: boolean;
}

/** Input of change: absent stays. */
export class UpdateSignature extends ChangeOf('sig', 'The signature.', CreateSignature, [
  'name',
  'html',
  'text',
  'mailbox',
  'isDefault',
]) {}

/** One signature. */
export class SignatureAnswer extends AnswerOf('signature', () => Signature, 'The signature.') {}

/** The signatures that a member may use. */
export class SignaturePage extends PageOf(() => Signature, 'Signatures, by name.', signaturesMax) {}

/** Signatures as members keep them. */
export const signatureSettings = family(
  'mail',
  'signatureSettings',
  {
    list: operation({
      http: 'GET /signatures',
      effect: 'read',
      summary: 'List the signatures',
      output: SignaturePage,
    }),
    create: operation({
      http: 'POST /signatures',
      success: 201,
      summary: 'Add a signature',
      input: CreateSignature,
      output: SignatureAnswer,
      problems: ['TOO_MANY_SIGNATURES'],
    }),
    update: operation({
      http: 'PATCH /signatures/:id',
      summary: 'Change a signature',
      input: UpdateSignature,
      output: SignatureAnswer,
      problems: ['SIGNATURE_NOT_FOUND'],
    }),
    remove: operation({
      http: 'DELETE /signatures/:id',
      summary: 'Remove a signature',
      input: VersionOf('sig', 'The signature.'),
      output: Done,
      problems: ['SIGNATURE_NOT_FOUND'],
    }),
  },
  { audience: 'member' },
);
