import type { ProblemFacts } from './checks.js';

/** Refusals of contacts and address books. */
export const contactProblems = {
  VALIDATION_FAILED: {
    status: 400,
    fr: 'Contenu de contact refusé.',
    en: 'The content of the contact is refused.',
  },
  EMPTY_CONTACT: {
    status: 400,
    fr: 'Un contact a au moins un nom, une adresse ou une organisation.',
    en: 'A contact has at least a name, an address or an organization.',
  },
  INVALID_ARGUMENT: {
    status: 400,
    fr: 'Requête inutilisable.',
    en: 'The request cannot be used.',
  },
  FORBIDDEN: {
    status: 403,
    fr: 'Cette ressource est hors de portée de cette clé.',
    en: 'This resource is out of reach.',
  },
  BOOK_NOT_FOUND: {
    status: 404,
    fr: 'Carnet d’adresses introuvable.',
    en: 'There is no such address book.',
  },
  CONTACT_NOT_FOUND: {
    status: 404,
    fr: 'Contact introuvable ou fusionné.',
    en: 'There is no such contact, or it has been merged.',
  },
  CONTACT_EXISTS: {
    status: 409,
    fr: 'Le carnet contient déjà ce contact.',
    en: 'The book has another contact of this address or name: merge the two.',
  },
  PHOTO_NOT_FOUND: {
    status: 404,
    fr: 'Ce contact n’a pas de photo.',
    en: 'The contact has no photo.',
  },
  BOOK_NOT_EMPTY: {
    status: 409,
    fr: 'Ce carnet n’est pas vide.',
    en: 'The book has contacts: `force=true` deletes them with it.',
  },
  TOO_MANY_BOOKS: {
    status: 409,
    fr: 'Trop de carnets d’adresses.',
    en: 'There are 1,000 address books, which is the most.',
  },
  MERGE_CHANGED: {
    status: 409,
    fr: 'Une valeur reprise lors de la fusion a changé depuis.',
    en: 'What the merge gave has changed since, or the survivor has been merged itself.',
  },
  TOO_MANY_MERGES: {
    status: 409,
    fr: 'Ce contact a déjà absorbé trop d’autres contacts.',
    en: 'The survivor would have absorbed more than 200 contacts.',
  },
  CONTACTS_FAILED: {
    status: 500,
    fr: 'L’opération sur les contacts a échoué.',
    en: 'The operation on contacts failed.',
  },
} as const satisfies Record<string, ProblemFacts>;
