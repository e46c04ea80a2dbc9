import type { Violation } from './fields/index.js';
import { approvalProblems } from './problems/approvals.js';
import { calendarProblems } from './problems/calendar.js';
import { contactProblems } from './problems/contacts.js';
import type { ProblemFacts } from './problems/problem-facts.js';
import { taskProblems } from './problems/tasks.js';
import { workspaceProblems } from './problems/workspace.js';
import { webhookProblems } from './problems/webhooks.js';

/** Everything the service can refuse, once: code, status, texts. One table, to be read as one. */
export const problems = {
  UNAUTHENTICATED: {
    status: 401,
    fr: 'Clé d’API absente, invalide ou révoquée.',
    en: 'Sign in first: no session, or it has ended.',
  },
  AUTHORIZATIONS_UNAVAILABLE: {
    status: 503,
    fr: 'Les autorisations ne peuvent pas être lues pour le moment ; réessayez plus tard.',
    en: 'Authorizations cannot be read right now; try again later.',
    retryable: true,
  },
  RATE_LIMITED: {
    status: 429,
    fr: 'Trop de requêtes pour cette clé ; attendez avant de réessayer.',
    en: 'Too many requests; wait before trying again.',
    retryable: true,
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    fr: 'Cette adresse n’existe pas.',
    en: 'There is no such route.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    fr: 'Cette méthode n’est pas exposée à cette adresse.',
    en: 'This method is not exposed on this path.',
  },
  SCOPE_MISSING: {
    status: 403,
    fr: 'La clé n’a pas la portée requise par cette opération.',
    en: 'The key lacks the scope of this operation.',
  },
  ADMIN_REQUIRED: {
    status: 403,
    fr: 'Cette opération est réservée aux administrateurs de l’espace.',
    en: 'Only an administrator of the workspace may do this.',
  },
  FOREIGN_ORIGIN: {
    status: 403,
    fr: 'Cette requête vient d’une autre origine.',
    en: 'This request comes from another origin.',
  },
  AGENT_CANNOT_SEND: {
    status: 403,
    fr: 'Une clé d’agent ne peut pas envoyer de message.',
    en: 'An agent key cannot send.',
  },
  SEND_SWITCH_CLOSED: {
    status: 403,
    fr: 'L’envoi est fermé pour cet espace.',
    en: 'Sending is switched off for this workspace.',
  },
  MEMBER_IDENTITY_INCOMPLETE: {
    status: 403,
    fr: 'Identité de membre incomplète : la clé n’est rattachée à aucun membre de l’espace.',
    en: 'Incomplete member identity: the key is attached to no member.',
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    status: 400,
    fr: 'L’en-tête Idempotency-Key est obligatoire pour cette opération.',
    en: 'The Idempotency-Key header is required for this operation.',
  },
  IDEMPOTENCY_KEY_MALFORMED: {
    status: 400,
    fr: 'L’en-tête Idempotency-Key doit n’être donné qu’une fois et compter de 8 à 200 caractères ASCII imprimables.',
    en: 'The Idempotency-Key header must come once and be 8 to 200 printable ASCII characters.',
  },
  INVALID_REQUEST: {
    status: 400,
    fr: 'Requête invalide.',
    en: 'The request is not valid.',
  },
  INVALID_PAGE_TOKEN: {
    status: 400,
    fr: 'Le jeton de page est inutilisable pour cette requête ; reprenez à la première page.',
    en: 'The page token cannot be used for this query; start from the first page.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    fr: 'Le corps de la requête est trop volumineux.',
    en: 'The request body is too large.',
  },
  ATTACHMENTS_TOO_LARGE: {
    status: 413,
    fr: 'Un message porte au plus 50 pièces jointes et 26 214 400 caractères base64 en tout.',
    en: 'A message has at most 50 attachments and 26,214,400 base64 characters in all.',
  },
  MAILBOX_FORBIDDEN: {
    status: 403,
    fr: 'La clé n’a pas accès à cette boîte.',
    en: 'No access to this mailbox.',
  },
  MAILBOX_READ_ONLY: {
    status: 403,
    fr: 'La clé n’a qu’un accès en lecture à cette boîte.',
    en: 'Read-only access to this mailbox.',
  },
  MAILBOX_NOT_FOUND: {
    status: 404,
    fr: 'Boîte introuvable.',
    en: 'There is no such mailbox.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    fr: 'Cette Idempotency-Key a déjà servi pour une autre requête.',
    en: 'This Idempotency-Key was used for another request.',
  },
  DUPLICATE_IN_PROGRESS: {
    status: 409,
    fr: 'Une requête portant cette Idempotency-Key est en cours.',
    en: 'A request with this Idempotency-Key is in progress.',
    retryable: true,
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
  VERSION_CONFLICT: {
    status: 409,
    fr: 'La ressource a changé entre-temps ; relisez-la puis réessayez.',
    en: 'The resource has changed meanwhile; read it and try again.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    fr: 'Service momentanément indisponible ; réessayez plus tard.',
    en: 'The service is unavailable for a moment; try again later.',
    retryable: true,
  },
  INTERNAL: {
    status: 500,
    fr: 'Erreur interne ; donnez l’identifiant de requête au support.',
    en: 'Internal error; give the request id to support.',
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
  SIGN_IN_FAILED: {
    status: 401,
    fr: 'Adresse ou mot de passe incorrect.',
    en: 'Wrong email address or password.',
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
  MAILBOX_EXISTS: {
    status: 409,
    fr: 'Cette adresse de boîte est déjà prise.',
    en: 'This mailbox address is already taken.',
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
  ...approvalProblems,
  ...contactProblems,
  ...calendarProblems,
  ...taskProblems,
  ...workspaceProblems,
  ...webhookProblems,
} as const satisfies Record<string, ProblemFacts>;

export type ProblemCode = keyof typeof problems;

export const problemFacts = (code: ProblemCode): ProblemFacts => problems[code];

export const isProblemCode = (text: string): text is ProblemCode => Object.hasOwn(problems, text);

/** A refusal of the catalogue: what handlers and checks throw, and the only error a caller is told of. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** Fields at fault (400). */
  readonly violations: readonly Violation[];
  readonly headers: Readonly<Record<string, string>>;
  /** What its body says beside the error, where the contract names fields. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: ProblemCode,
    detail: {
      readonly violations?: readonly Violation[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly fields?: Readonly<Record<string, unknown>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, { cause: detail.cause });
    this.violations = detail.violations ?? [];
    this.headers = detail.headers ?? {};
    this.fields = detail.fields ?? {};
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** A 400 that names the one field at fault. */
export const invalidField = (field: string, fr: string, en: string): Problem =>
  new Problem('INVALID_REQUEST', { violations: [{ field, message: { fr, en } }] });
