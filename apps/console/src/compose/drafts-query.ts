import type { Draft, DraftPage } from '@postroom/contracts';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { inTurn } from '../api/in-turn.js';
import { useStreamEvents } from '../stream/stream.js';

/** Drafts by what becomes of them, as the address names them. */
export const draftStates = ['drafts', 'scheduled', 'failed'] as const;

export type DraftState = (typeof draftStates)[number];

export const isDraftState = (value: unknown): value is DraftState =>
  draftStates.some((state) => state === value);

export const stateOf = ({ scheduled }: Draft): DraftState => {
  if (!scheduled) return 'drafts';
  return scheduled.state === 'failed' ? 'failed' : 'scheduled';
};

/** The drafts of a mailbox, those changed last first: a hundred of them. */
export const draftsQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['drafts', mailbox] as const,
    queryFn: ({ signal }) =>
      inTurn(() => api.get<DraftPage>('/v1/drafts', { mailbox, limit: 100 }, signal)),
  });

/** The drafts of a conversation. */
export const threadDraftsQuery = (mailbox: string, threadId: string) =>
  queryOptions({
    queryKey: ['drafts', mailbox, threadId] as const,
    queryFn: ({ signal }) =>
      api.get<DraftPage>('/v1/drafts', { mailbox, threadId, limit: 100 }, signal),
  });

/** Keeps the drafts that are shown in step with what others do. */
export function useDraftsInStep(): void {
  const client = useQueryClient();
  useStreamEvents(({ type, data }) => {
    if (type === 'reset') void client.invalidateQueries({ queryKey: ['drafts'] });
    else if (type.startsWith('draft.'))
      void client.invalidateQueries({
        queryKey: typeof data.mailbox === 'string' ? ['drafts', data.mailbox] : ['drafts'],
      });
  });
}
