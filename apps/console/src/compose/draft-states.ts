import type { Draft } from '@postroom/contracts';

/** Drafts by what becomes of them, as the address names them. */
export const draftStates = ['drafts', 'scheduled', 'failed'] as const;

export type DraftState = (typeof draftStates)[number];

export const isDraftState = (value: unknown): value is DraftState =>
  draftStates.some((state) => state === value);

export const stateOf = ({ scheduled }: Draft): DraftState => {
  if (!scheduled) return 'drafts';
  return scheduled.state === 'failed' ? 'failed' : 'scheduled';
};
