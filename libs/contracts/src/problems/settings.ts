import type { ProblemFacts } from './checks.js';

/** Refusals of signing in, of what administrators keep, of approvals (`decisions.md` §6), webhooks and the event feed. */
export const settingsProblems = {
  TOO_MANY_IMPORTS: {
    status: 503,
    fr: 'Cet espace a déjà sa part des imports en cours ; réessayez quand l’un d’eux est terminé.',
    en: 'This workspace has its share of the imports under way; try again when one of them has ended.',
  },
  SIGN_IN_FAILED: {
    status: 401,
    fr: 'Adresse ou mot de passe incorrect.',
    en: 'Wrong email address or password.',
  },
  SECOND_FACTOR_REQUIRED: {
    status: 401,
    fr: 'La connexion attend son second facteur.',
    en: 'This sign-in waits for its second factor: finish it at POST /session/second-factor.',
  },
  SECOND_FACTOR_REFUSED: {
    status: 401,
    fr: 'Preuve refusée : fausse, expirée ou déjà utilisée.',
    en: 'The proof was refused: it is wrong, has expired, or was used before.',
  },
  ENROLMENT_REQUIRED: {
    status: 403,
    fr: 'L’espace exige un second facteur : ajoutez-en un d’abord.',
    en: 'The workspace requires a second factor: enrol one first, at POST /me/totp or POST /me/passkeys.',
  },
  STEP_UP_REQUIRED: {
    status: 403,
    fr: 'Confirmez votre identité d’abord.',
    en: 'Prove who you are first, at POST /session/second-factor, and try again within 15 minutes.',
  },
  TOTP_EXISTS: {
    status: 409,
    fr: 'Une application de codes est déjà associée ; retirez-la d’abord.',
    en: 'A code application is set up already; remove it first.',
  },
  TOTP_NOT_FOUND: {
    status: 404,
    fr: 'Aucune application de codes n’est associée.',
    en: 'No code application is set up.',
  },
  NO_SECOND_FACTOR: {
    status: 409,
    fr: 'Ajoutez d’abord un second facteur.',
    en: 'Enrol a second factor first.',
  },
  PASSKEY_NOT_FOUND: {
    status: 404,
    fr: 'Clé d’accès introuvable.',
    en: 'There is no such passkey.',
  },
  PASSKEY_EXISTS: {
    status: 409,
    fr: 'Cette clé d’accès est déjà enregistrée.',
    en: 'This passkey is registered already.',
  },
  TOO_MANY_PASSKEYS: {
    status: 409,
    fr: 'Vous avez déjà 20 clés d’accès ; retirez-en une d’abord.',
    en: 'You have 20 passkeys already; remove one first.',
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
  MEMBER_INVITATION_NOT_FOUND: {
    status: 404,
    fr: 'Invitation introuvable, acceptée ou révoquée.',
    en: 'There is no such invitation, or it was accepted or revoked.',
  },
  PASSWORD_WRONG: {
    status: 403,
    fr: 'Le mot de passe actuel n’est pas celui-là.',
    en: 'This is not your present password.',
  },
  INVITATION_INVALID: {
    status: 404,
    fr: 'Ce lien d’invitation est inconnu, expiré ou déjà utilisé.',
    en: 'This invitation link is unknown, expired or already used.',
  },
  PASSWORDS_OFF: {
    status: 403,
    fr: 'Votre espace se connecte par son fournisseur, sans mot de passe : connectez-vous par lui.',
    en: 'Your workspace signs in with its provider, without passwords: sign in with your provider.',
  },
  OWN_ADDRESS: {
    status: 409,
    fr: 'Cette adresse est celle d’un membre ou d’une boîte de l’espace, non d’un correspondant.',
    en: 'This is the address of a member or a mailbox of the workspace, and no correspondent’s.',
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
  SUPPRESSION_NOT_FOUND: {
    status: 404,
    fr: 'Cette adresse n’est pas suspendue.',
    en: 'This address is not suppressed.',
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
  APPROVALS_UNAVAILABLE: {
    status: 503,
    fr: 'La file d’approbation n’est pas joignable ; rien n’a été écrit, réessayez plus tard.',
    en: 'The approval queue cannot be reached; nothing was written, try again later.',
  },
  TOO_MANY_APPROVALS: {
    status: 429,
    fr: 'Cette clé a déjà 100 demandes en attente d’approbation ; attendez qu’elles soient décidées.',
    en: 'This key has 100 writes waiting for approval already; wait until they are decided.',
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
  CLOCK_MOVING: {
    status: 409,
    fr: 'L’horloge de cet espace avance déjà ; attendez que ce soit fini (GET /settings/api/sandbox).',
    en: 'The clock of this workspace is being moved already; wait until that has ended (GET /settings/api/sandbox).',
  },
  TOO_MANY_SANDBOXES: {
    status: 409,
    fr: 'L’espace a déjà 10 bacs à sable ; un opérateur peut en supprimer un.',
    en: 'The workspace has 10 sandboxes already; an operator can delete one.',
  },
  APPROVER_REQUIRED: {
    status: 403,
    fr: 'Seul un membre autorisé à approuver peut décider.',
    en: 'Only a member who may approve can decide.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    fr: 'Abonnement webhook introuvable.',
    en: 'There is no such webhook subscription.',
  },
  TOO_MANY_SECRETS: {
    status: 409,
    fr: 'Trois secrets signent déjà ; attendez que le plus ancien ait 24 heures.',
    en: 'Three secrets sign already; wait until the oldest one’s 24 hours are over.',
  },
  TOO_MANY_WEBHOOKS: {
    status: 409,
    fr: 'L’espace a déjà 20 abonnements webhook ; supprimez-en un d’abord.',
    en: 'The workspace has 20 webhook subscriptions already; remove one first.',
  },
  TOO_MANY_EVENT_SUBSCRIPTIONS: {
    status: 409,
    fr: 'La clé ou l’espace a déjà trop d’abonnements à des événements ; terminez-en un d’abord.',
    en: 'The key or the workspace has too many subscriptions to events already; end one first.',
  },
  CALLBACK_FAILED: {
    status: 409,
    fr: 'L’URL n’a pas répondu à la vérification par le `challenge` attendu.',
    en: 'The URL did not answer the verification with the `challenge`.',
  },
  WEBHOOK_DISABLED: {
    status: 409,
    fr: 'L’abonnement webhook est désactivé ; réactivez-le d’abord.',
    en: 'The webhook subscription is disabled; enable it first.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    fr: 'Livraison introuvable.',
    en: 'There is no such delivery.',
  },
  DELIVERY_PENDING: {
    status: 409,
    fr: 'Une livraison de cet événement est en cours.',
    en: 'A delivery of this event is pending.',
  },
  EVENTS_AGED_OUT: {
    status: 410,
    fr: 'Cet événement n’est plus conservé ; reprenez au plus ancien (oldest).',
    en: 'This event is no longer kept; start again from the oldest.',
  },
  EVENT_EXPIRED: {
    status: 409,
    fr: 'L’événement a plus de 7 jours ; il n’est plus conservé.',
    en: 'The event is older than 7 days; it is no longer kept.',
  },
} as const satisfies Record<string, ProblemFacts>;
