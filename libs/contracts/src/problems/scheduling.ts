import type { ProblemFacts } from './checks.js';

/** Refusals of calendars, their events, and tasks. */
export const schedulingProblems = {
  TITLE_REQUIRED: {
    status: 400,
    fr: 'Le titre est obligatoire.',
    en: 'A title is required.',
  },
  INVALID_DATES: {
    status: 400,
    fr: 'Les champs startMs et endMs sont des entiers de millisecondes, différents de zéro.',
    en: 'The fields startMs and endMs are whole numbers of milliseconds other than zero.',
  },
  END_BEFORE_START: {
    status: 400,
    fr: 'La fin doit suivre le début.',
    en: 'The end must be after the start.',
  },
  DURATION_TOO_LONG: {
    status: 400,
    fr: 'Un événement dure au plus 366 jours.',
    en: 'An event lasts at most 366 days.',
  },
  INVALID_CONFERENCE_LINK: {
    status: 400,
    fr: 'Le lien de conférence commence par http:// ou https://.',
    en: 'A conference link starts with http:// or https://.',
  },
  CALENDAR_SCOPE_FORBIDDEN: {
    status: 403,
    fr: 'Seule la clé d’un administrateur crée un calendrier partagé.',
    en: 'Only an administrator creates a shared calendar.',
  },
  CALENDAR_NOT_FOUND: {
    status: 404,
    fr: 'Calendrier introuvable.',
    en: 'There is no such calendar.',
  },
  EVENT_NOT_FOUND: {
    status: 404,
    fr: 'Événement introuvable.',
    en: 'There is no such event.',
  },
  TOO_MANY_CALENDARS: {
    status: 409,
    fr: 'Trop de calendriers ; supprimez-en un d’abord.',
    en: 'There are too many calendars; delete one first.',
  },
  INVITATION_SETTLED: {
    status: 409,
    fr: 'Cette invitation n’attend pas de confirmation.',
    en: 'This invitation does not wait to be confirmed.',
  },
  CALENDAR_FAILED: {
    status: 500,
    fr: 'L’opération sur le calendrier a échoué.',
    en: 'The operation on the calendar failed.',
  },
  RECURRENCE_NEEDS_DUE: {
    status: 400,
    fr: 'Une tâche récurrente a une échéance (dueMs).',
    en: 'A task that recurs has a due date (dueMs).',
  },
  SOURCE_FORBIDDEN: {
    status: 403,
    fr: 'Cette source est réservée au serveur.',
    en: 'This source is for the server alone.',
  },
  TASK_NOT_FOUND: {
    status: 404,
    fr: 'Tâche introuvable.',
    en: 'There is no such task.',
  },
  TASKS_FAILED: {
    status: 500,
    fr: 'L’opération sur les tâches a échoué.',
    en: 'The operation on tasks failed.',
  },
} as const satisfies Record<string, ProblemFacts>;
