/** Facts of a refusal. */
export interface ProblemFacts {
  readonly status: number;
  /** The public text; it may change, clients should not test on it. */
  readonly fr: string;
  readonly en: string;
}

/** Refusals of the checks before every operation, and of the service as a whole (`decisions.md` §2). */
export const checkProblems = {
  UNAUTHENTICATED: {
    status: 401,
    fr: 'Clé d’API absente, invalide ou révoquée.',
    en: 'Sign in first: the API key (X-Api-Key) or session is missing, invalid, or has ended.',
  },
  AUTHORIZATIONS_UNAVAILABLE: {
    status: 503,
    fr: 'Les autorisations ne peuvent pas être lues pour le moment ; réessayez plus tard.',
    en: 'Authorizations cannot be read right now; try again later.',
  },
  RATE_LIMITED: {
    status: 429,
    fr: 'Trop de requêtes pour cette clé ; attendez avant de réessayer.',
    en: 'Too many requests; wait before trying again.',
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
  ENCODING_UNSUPPORTED: {
    status: 415,
    fr: 'Envoyez le corps sans Content-Encoding : il est lu tel quel.',
    en: 'Send the body without a Content-Encoding: it is read as it is.',
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
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    fr: 'Cette Idempotency-Key a déjà servi pour une autre requête.',
    en: 'This Idempotency-Key was used for another request.',
  },
  DUPLICATE_IN_PROGRESS: {
    status: 409,
    fr: 'Une requête portant cette Idempotency-Key est en cours.',
    en: 'A request with this Idempotency-Key is in progress.',
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
  },
  INTERNAL: {
    status: 500,
    fr: 'Erreur interne ; donnez l’identifiant de requête au support.',
    en: 'Internal error; give the request id to support.',
  },
} as const satisfies Record<string, ProblemFacts>;
