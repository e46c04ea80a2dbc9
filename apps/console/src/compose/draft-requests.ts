import type { Draft, DraftAnswer, DraftSent } from '@postroom/contracts';
import { api } from '../api/api.js';
import { ApiProblem } from '../api/problem.js';
import { fieldsOf, type Content } from './content.js';

/** A draft as the server was last known to have it. */
export interface Stored {
  readonly id: string;
  readonly version: number;
}

/** A save under way: repeated as it is until it is answered, so that it is done once. */
export interface Save {
  readonly content: Content;
  readonly over: Stored | null;
  readonly key: string;
}

const pathOf = (id: string): string => `/v1/drafts/${encodeURIComponent(id)}`;

/** Creates the draft, or changes the version that it was written over. */
export async function saveDraft({ content, over, key }: Save): Promise<Draft> {
  const { mailbox, threadId, inReplyTo } = content;
  const fields = fieldsOf(content);
  const { draft } = over
    ? await api.patch<DraftAnswer>(
        pathOf(over.id),
        { mailbox, draft: fields },
        { idempotencyKey: key, ifMatch: over.version },
      )
    : await api.post<DraftAnswer>(
        '/v1/drafts',
        { mailbox, draft: { ...fields, threadId, inReplyTo } },
        { idempotencyKey: key },
      );
  if (draft.version !== over?.version) learnClock(draft.updatedAt);
  return draft;
}

export const removeDraft = (mailbox: string, id: string): Promise<unknown> =>
  api.delete(pathOf(id), { query: { mailbox } });

export interface SendRequest {
  readonly mailbox: string;
  readonly sendAt?: string;
  readonly dlpWarningToken?: string;
}

export const sendDraft = ({ id, version }: Stored, request: SendRequest): Promise<DraftSent> =>
  api.post<DraftSent>(`${pathOf(id)}/send`, request, { ifMatch: version });

export const unsendDraft = async (mailbox: string, id: string): Promise<Draft> =>
  (await api.post<DraftAnswer>(`${pathOf(id)}/unsend`, { mailbox })).draft;

/** The draft as it is now; null where it is gone, sent or removed. */
export async function findDraft(mailbox: string, id: string): Promise<Draft | null> {
  try {
    return (await api.get<DraftAnswer>(pathOf(id), { mailbox })).draft;
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'DRAFT_NOT_FOUND') return null;
    throw error;
  }
}

/** By how much the server's clock is ahead of this one, in milliseconds. */
let clockAheadMs = 0;

function learnClock(updatedAt: string): void {
  clockAheadMs = Date.parse(updatedAt) - Date.now();
}

/** A time of the server so many milliseconds from now. */
export const serverTimeIn = (ms: number): string =>
  new Date(Date.now() + clockAheadMs + ms).toISOString();
