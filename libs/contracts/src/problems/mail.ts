import type { ProblemFacts } from './checks.js';

/** Refusals of mailboxes, conversations, what is in them, and sends. */
export const mailProblems = {
  MAILBOX_NOT_FOUND: {
    status: 404,
    fr: 'Boîte introuvable.',
    en: 'There is no such mailbox.',
  },
  LABEL_NOT_FOUND: {
    status: 404,
    fr: 'Étiquette introuvable dans cette boîte.',
    en: 'There is no such label in this mailbox.',
  },
  CONVERSATION_NOT_FOUND: {
    status: 404,
    fr: 'Conversation introuvable dans cette boîte.',
    en: 'There is no such conversation in this mailbox.',
  },
  CONVERSATION_LEASED: {
    status: 409,
    fr: 'Quelqu’un d’autre répond déjà à cette conversation.',
    en: 'Somebody else is answering this conversation.',
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
  DRAFT_SCHEDULED: {
    status: 409,
    fr: 'Ce brouillon est programmé pour l’envoi ; retenez-le d’abord.',
    en: 'This draft is scheduled to be sent; hold it back first.',
  },
  DRAFT_SENDING: {
    status: 409,
    fr: 'Ce brouillon est en cours d’envoi et ne peut plus être retenu.',
    en: 'This draft is being sent and can be held back no more.',
  },
  UPLOAD_NOT_FOUND: {
    status: 404,
    fr: 'Fichier téléversé introuvable dans cette boîte, ou déjà joint ailleurs.',
    en: 'There is no such uploaded file in this mailbox, or another draft has it.',
  },
  MEMBER_REMOVED: {
    status: 403,
    fr: 'Ce membre ne fait plus partie de l’espace.',
    en: 'This member is not part of the workspace any more.',
  },
  MESSAGE_NOT_FOUND: {
    status: 404,
    fr: 'Message introuvable dans cette boîte.',
    en: 'There is no such message in this mailbox.',
  },
  REMOTE_IMAGE_NOT_FOUND: {
    status: 404,
    fr: 'Ce message ne nomme pas autant d’images distantes.',
    en: 'This message does not name so many remote images.',
  },
  REMOTE_IMAGE_FORBIDDEN: {
    status: 403,
    fr: 'L’adresse de cette image, ou celle vers laquelle elle renvoie, n’est pas publique, ou son port n’est ni 80 ni 443.',
    en: 'The address of this image, or one that it redirects to, is not public, or its port is neither 80 nor 443.',
  },
  // Not of 5xx: these are no outages of ours, and strangers would bring them about.
  REMOTE_IMAGE_TOO_LARGE: {
    status: 409,
    fr: 'Cette image dépasse 5 Mio.',
    en: 'This image has more than 5 MiB.',
  },
  REMOTE_IMAGE_TYPE_UNKNOWN: {
    status: 409,
    fr: 'Ce qui se trouve à cette adresse n’est ni PNG, ni JPEG, ni GIF, ni WebP.',
    en: 'What is at this address is no PNG, JPEG, GIF or WebP.',
  },
  REMOTE_IMAGE_UNAVAILABLE: {
    status: 409,
    fr: 'Le serveur de cette image ne la donne pas, ou pas à temps ; réessayez plus tard.',
    en: 'The server of this image does not give it, or not in time; try again later.',
  },
  MAILBOX_EXISTS: {
    status: 409,
    fr: 'Cette adresse de boîte est déjà prise.',
    en: 'This mailbox address is already taken.',
  },
  ACCOUNT_CONNECTED: {
    status: 409,
    fr: 'Une autre boîte lit déjà ce compte : déconnectez-la d’abord.',
    en: 'Another mailbox reads this account already: disconnect that one first.',
  },
  OAUTH_NOT_SET_UP: {
    status: 409,
    fr: 'Ce déploiement n’est pas un client de ce fournisseur.',
    en: 'This deployment is no client of that provider: its operator sets it up.',
  },
  OAUTH_UNAVAILABLE: {
    status: 503,
    fr: 'Le fournisseur ne répond pas ; réessayez plus tard.',
    en: 'The provider does not answer; try again later.',
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
  },
  IMPORT_NOT_FOUND: {
    status: 404,
    fr: 'Import introuvable ou terminé.',
    en: 'There is no such import, or it has ended.',
  },
  IMPORT_STOPPED: {
    status: 409,
    fr: 'L’import a été arrêté ; ce qu’il a importé reste.',
    en: 'The import was stopped; what it has imported stays.',
  },
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
  },
  OUTGOING_REFUSED: {
    status: 503,
    fr: 'Le serveur de messagerie refuse cette boîte ; rien n’est parti. Un administrateur doit revoir ses réglages.',
    en: 'The mail server refuses this mailbox; nothing was sent. An administrator has to look at its settings.',
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
  MAILBOX_WITHOUT_ACCOUNT: {
    status: 404,
    fr: 'Cette boîte n’est reliée à aucun compte ailleurs.',
    en: 'This mailbox is not read from an account elsewhere: it has none.',
  },
  FOLDER_NOT_FOUND: {
    status: 404,
    fr: 'Ce compte n’a pas de dossier de ce nom.',
    en: 'The account has no folder of this name.',
  },
  SEND_NOT_FOUND: {
    status: 404,
    fr: 'Envoi introuvable, ou déjà réglé.',
    en: 'There is no such send, or it is settled already.',
  },
} as const satisfies Record<string, ProblemFacts>;
