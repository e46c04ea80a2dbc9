import { ListOf } from '../fields/index.js';
import { Nothing } from '../inputs.js';
import { family, operation } from '../operation.js';
import { Signature, signaturesMax } from './signature.js';

/** Input of the list. */
export class ListSignatures extends Nothing {}

/** The signatures that a key may use. */
export class SignatureList {
  @ListOf(() => Signature, 'For the key’s mailboxes and for any, by name.', { max: signaturesMax })
  signatures!: Signature[];
}

/** Signatures as integrations see them (public-api.md §4). */
export const signatures = family('mail', 'signatures', {
  list: operation({
    http: 'GET /v1/signatures',
    scope: 'read:conversations',
    effect: 'read',
    summary: 'List the signatures for the mailboxes of the key',
    input: ListSignatures,
    output: SignatureList,
  }),
});
