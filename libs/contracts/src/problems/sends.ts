import type { ProblemFacts } from './problem-facts.js';

/** Refusals of sends. */
export const sendProblems = {
  ATTACHMENTS_TOO_LARGE: {
    status: 413,
    fr: 'Un message porte au plus 50 pièces jointes et 26 214 400 caractères base64 en tout.',
    en: 'A message has at most 50 attachments and 26,214,400 base64 characters in all.',
  },
  IDEMPOTENCY_KEY_UNVERIFIABLE: {
    status: 409,
    fr: 'Cette Idempotency-Key a déjà servi à un envoi qui ne peut pas être comparé ; prenez-en une autre.',
    en: 'This Idempotency-Key was used for a send that cannot be compared; take another one.',
  },
  SEND_DUPLICATE: {
    status: 409,
    fr: 'Un envoi portant cette Idempotency-Key a déjà commencé ; rien n’a été envoyé de plus.',
    en: 'A send with this Idempotency-Key has begun already; nothing more was sent.',
    retryable: true,
  },
  SEND_OUTCOME_UNKNOWN: {
    status: 502,
    fr: 'Le serveur de messagerie n’a pas confirmé ; le message est peut-être parti. Répétez avec la même Idempotency-Key, jamais une autre.',
    en: 'The mail server has not confirmed; the message may have left. Repeat with the same Idempotency-Key, never another.',
  },
  OUTGOING_UNAVAILABLE: {
    status: 503,
    fr: 'Le serveur de messagerie ne prend pas le message pour le moment ; rien n’est parti, réessayez plus tard.',
    en: 'The mail server does not take the message right now; nothing was sent, try again later.',
    retryable: true,
  },
  OUTGOING_REFUSED: {
    status: 503,
    fr: 'Le serveur de messagerie refuse cette boîte ; rien n’est parti. Un administrateur doit revoir ses réglages.',
    en: 'The mail server refuses this mailbox; nothing was sent. An administrator has to look at its settings.',
    retryable: true,
  },
  RECIPIENTS_REFUSED: {
    status: 400,
    fr: 'Le serveur de messagerie refuse tous les destinataires ; rien n’est parti.',
    en: 'The mail server refuses every recipient; nothing was sent.',
  },
  MESSAGE_REFUSED: {
    status: 400,
    fr: 'Le serveur de messagerie refuse ce message ; rien n’est parti.',
    en: 'The mail server refuses this message; nothing was sent.',
  },
  DLP_BLOCKED: {
    status: 403,
    fr: 'Une règle de protection des données bloque ce message ; rien n’est parti.',
    en: 'A data-loss prevention rule blocks this message; nothing was sent.',
  },
  DLP_WARNING: {
    status: 409,
    fr: 'Une règle de protection des données demande confirmation : renvoyez le jeton dans dlpWarningToken.',
    en: 'A data-loss prevention rule asks for confirmation: give the token as dlpWarningToken.',
  },
  SEND_NOT_FOUND: {
    status: 404,
    fr: 'Envoi introuvable, ou déjà réglé.',
    en: 'There is no such send, or it is settled already.',
  },
} as const satisfies Record<string, ProblemFacts>;
