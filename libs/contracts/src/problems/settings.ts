import type { ProblemFacts } from './problem-facts.js';

/** Refusals of signing in, and of what administrators keep. */
export const settingsProblems = {
  TOO_MANY_IMPORTS: {
    status: 503,
    fr: 'Deux imports de cet espace, ou quatre en tout, sont déjà en cours ; réessayez quand l’un d’eux est terminé.',
    en: 'Two imports of this workspace, or four in all, are under way; try again when one of them has ended.',
    retryable: true,
  },
  SIGN_IN_FAILED: {
    status: 401,
    fr: 'Adresse ou mot de passe incorrect.',
    en: 'Wrong email address or password.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    fr: 'Session introuvable ou terminée.',
    en: 'There is no such session, or it has ended.',
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    fr: 'Membre introuvable.',
    en: 'There is no such member.',
  },
  EMAIL_TAKEN: {
    status: 409,
    fr: 'Cette adresse est déjà celle d’un membre.',
    en: 'A member already has this email address.',
  },
  LAST_ADMINISTRATOR: {
    status: 409,
    fr: 'L’espace doit garder au moins un administrateur actif qui puisse se connecter.',
    en: 'The workspace must keep at least one active administrator who can sign in.',
  },
  INVITATION_INVALID: {
    status: 404,
    fr: 'Ce lien d’invitation est inconnu, expiré ou déjà utilisé.',
    en: 'This invitation link is unknown, expired or already used.',
  },
  TEAM_NOT_FOUND: {
    status: 404,
    fr: 'Équipe introuvable.',
    en: 'There is no such team.',
  },
  TEAM_EXISTS: {
    status: 409,
    fr: 'Une équipe porte déjà ce nom.',
    en: 'A team already has this name.',
  },
  TOO_MANY_TEAMS: {
    status: 409,
    fr: 'L’espace compte déjà 1000 équipes.',
    en: 'The workspace already has 1000 teams.',
  },
  KEY_NOT_FOUND: {
    status: 404,
    fr: 'Clé introuvable.',
    en: 'There is no such key.',
  },
  SIGNATURE_NOT_FOUND: {
    status: 404,
    fr: 'Signature introuvable.',
    en: 'There is no such signature.',
  },
  TOO_MANY_SIGNATURES: {
    status: 409,
    fr: 'L’espace a déjà 200 signatures ; supprimez-en une d’abord.',
    en: 'The workspace has 200 signatures already; remove one first.',
  },
  DLP_RULE_NOT_FOUND: {
    status: 404,
    fr: 'Règle de prévention des fuites introuvable.',
    en: 'There is no such rule of data-loss prevention.',
  },
  TOO_MANY_DLP_RULES: {
    status: 409,
    fr: 'L’espace a déjà 100 règles de prévention des fuites ; supprimez-en une d’abord.',
    en: 'The workspace has 100 rules of data-loss prevention already; remove one first.',
  },
  QUOTA_EXCEEDED: {
    status: 409,
    fr: 'L’espace a atteint son quota ; supprimez-en d’abord, ou demandez à l’opérateur de l’augmenter.',
    en: 'The workspace has reached its quota; remove some first, or ask the operator to raise it.',
  },
  WORKSPACE_EXISTS: {
    status: 409,
    fr: 'Un autre espace porte déjà ce nom.',
    en: 'Another workspace has this name already.',
  },
} as const satisfies Record<string, ProblemFacts>;
