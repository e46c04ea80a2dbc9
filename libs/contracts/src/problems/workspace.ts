import type { ProblemFacts } from './problem-facts.js';

/** Refusals of the workspace's own settings. */
export const workspaceProblems = {
  WORKSPACE_EXISTS: {
    status: 409,
    fr: 'Un autre espace porte déjà ce nom.',
    en: 'Another workspace has this name already.',
  },
} as const satisfies Record<string, ProblemFacts>;
