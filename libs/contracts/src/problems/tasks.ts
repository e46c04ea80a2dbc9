import type { ProblemFacts } from './problem-facts.js';

/** Refusals of tasks. */
export const taskProblems = {
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
