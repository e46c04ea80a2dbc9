import type { ProblemFacts } from './problem-facts.js';

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
  CONTACTS_FAILED: {
    status: 500,
    fr: 'L’opération sur les contacts a échoué.',
    en: 'The operation on contacts failed.',
  },
} as const satisfies Record<string, ProblemFacts>;
