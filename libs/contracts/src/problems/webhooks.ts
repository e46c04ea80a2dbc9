import type { ProblemFacts } from './problem-facts.js';

/** Refusals of webhooks and of the event feed. */
export const webhookProblems = {
  WEBHOOK_NOT_FOUND: {
    status: 404,
    fr: 'Abonnement webhook introuvable.',
    en: 'There is no such webhook subscription.',
  },
  TOO_MANY_WEBHOOKS: {
    status: 409,
    fr: 'L’espace a déjà 20 abonnements webhook ; supprimez-en un d’abord.',
    en: 'The workspace has 20 webhook subscriptions already; remove one first.',
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
