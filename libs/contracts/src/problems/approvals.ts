import type { ProblemFacts } from './problem-facts.js';

/** Refusals of approvals (`decisions.md` §6). */
export const approvalProblems = {
  APPROVALS_UNAVAILABLE: {
    status: 503,
    fr: 'La file d’approbation n’est pas joignable ; rien n’a été écrit, réessayez plus tard.',
    en: 'The approval queue cannot be reached; nothing was written, try again later.',
    retryable: true,
  },
  TOO_MANY_APPROVALS: {
    status: 429,
    fr: 'Cette clé a déjà 100 demandes en attente d’approbation ; attendez qu’elles soient décidées.',
    en: 'This key has 100 writes waiting for approval already; wait until they are decided.',
    retryable: true,
  },
  APPROVAL_NOT_FOUND: {
    status: 404,
    fr: 'Demande d’approbation introuvable.',
    en: 'There is no such approval.',
  },
  APPROVAL_CLOSED: {
    status: 409,
    fr: 'Cette demande d’approbation est close.',
    en: 'This approval is closed already.',
  },
  APPROVER_REQUIRED: {
    status: 403,
    fr: 'Seul un membre autorisé à approuver peut décider.',
    en: 'Only a member who may approve can decide.',
  },
} as const satisfies Record<string, ProblemFacts>;
