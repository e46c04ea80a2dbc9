import type { ProblemFacts } from './problem-facts.js';

/** Refusals of mailboxes, conversations and what is in them. */
export const mailProblems = {
  MAILBOX_NOT_FOUND: {
    status: 404,
    fr: 'Boîte introuvable.',
    en: 'There is no such mailbox.',
  },
  CONVERSATION_NOT_FOUND: {
    status: 404,
    fr: 'Conversation introuvable dans cette boîte.',
    en: 'There is no such conversation in this mailbox.',
  },
  TOO_MANY_LABELS: {
    status: 400,
    fr: 'Une conversation porte au plus 500 étiquettes.',
    en: 'A conversation has at most 500 labels.',
  },
  ATTACHMENT_NOT_FOUND: {
    status: 404,
    fr: 'Pièce jointe introuvable dans cette boîte.',
    en: 'There is no such attachment in this mailbox.',
  },
  DRAFT_NOT_FOUND: {
    status: 404,
    fr: 'Brouillon introuvable dans cette boîte.',
    en: 'There is no such draft in this mailbox.',
  },
  MESSAGE_NOT_FOUND: {
    status: 404,
    fr: 'Message introuvable dans cette boîte.',
    en: 'There is no such message in this mailbox.',
  },
  MAILBOX_EXISTS: {
    status: 409,
    fr: 'Cette adresse de boîte est déjà prise.',
    en: 'This mailbox address is already taken.',
  },
  DOMAIN_NOT_FOUND: {
    status: 404,
    fr: 'Domaine introuvable.',
    en: 'There is no such domain.',
  },
  DOMAIN_EXISTS: {
    status: 409,
    fr: 'L’espace a déjà ce domaine.',
    en: 'The workspace has this domain already.',
  },
  DOMAIN_TAKEN: {
    status: 409,
    fr: 'Ce domaine appartient à un autre espace.',
    en: 'This domain belongs to another workspace.',
  },
  DOMAIN_NOT_VERIFIED: {
    status: 409,
    fr: 'Le domaine de cette boîte n’est pas vérifié, et elle n’a pas de serveur à elle.',
    en: 'The domain of this mailbox is not verified, and it has no server of its own.',
  },
  DOMAIN_IN_USE: {
    status: 409,
    fr: 'Des boîtes dépendent de ce domaine ; `force=true` le retire quand même.',
    en: 'Mailboxes depend on this domain: `force=true` removes it all the same.',
  },
  DOMAIN_RECORD_MISSING: {
    status: 409,
    fr: 'L’enregistrement DNS de ce domaine n’a pas été trouvé ; il faut parfois quelques heures.',
    en: 'The DNS record of this domain was not found; it may take some hours to be seen.',
  },
  NAME_SERVERS_UNAVAILABLE: {
    status: 503,
    fr: 'Les serveurs de noms de ce domaine ne répondent pas ; réessayez plus tard.',
    en: 'The name servers of this domain do not answer; try again later.',
    retryable: true,
  },
  TOO_MANY_DOMAINS: {
    status: 409,
    fr: 'L’espace a déjà 100 domaines ; supprimez-en un d’abord.',
    en: 'The workspace has 100 domains already; remove one first.',
  },
  IMPORT_UNDER_WAY: {
    status: 409,
    fr: 'Un import dans cette boîte est en cours ; attendez qu’il se termine.',
    en: 'An import into this mailbox is under way; wait until it has ended.',
    retryable: true,
  },
  IMPORT_NOT_FOUND: {
    status: 404,
    fr: 'Import introuvable ou terminé.',
    en: 'There is no such import, or it has ended.',
  },
} as const satisfies Record<string, ProblemFacts>;
