import type { ConversationPage, LabelList, SearchAnswer, SearchResult } from '@postroom/contracts';
import { useQueries } from '@tanstack/react-query';
import { useAccount } from '../../api/account.js';
import { api } from '../../api/api.js';
import { inTurn } from '../../api/in-turn.js';
import { parametersOf, type ListQuery } from './list-query.js';
import { isSearched } from '../search-params.js';
import { rowOf, type Row } from './rows.js';

/** A page of a mailbox. */
export interface SourcePage {
  readonly rows: readonly Row[];
  readonly next: string | null;
  /** The places of a search's words, by conversation. */
  readonly hits?: ReadonlyMap<string, SearchResult>;
}

interface PageRequest {
  readonly mailbox: string;
  readonly pageToken: string | null;
  readonly limit: number;
}

/** Asks for a page of what the query names. */
export const readPage = (query: ListQuery, request: PageRequest): Promise<SourcePage> =>
  inTurn(() => (isSearched(query.view) ? searchPage(query, request) : listPage(query, request)));

async function listPage(query: ListQuery, request: PageRequest): Promise<SourcePage> {
  const page = await api.get<ConversationPage>('/v1/conversations', {
    ...parametersOf(query),
    ...request,
  });
  return { rows: page.conversations, next: page.nextPageToken };
}

async function searchPage(query: ListQuery, request: PageRequest): Promise<SourcePage> {
  const { view, q = '' } = query;
  const isSent = view === 'sent';
  if (!isSent && q === '') return { rows: [], next: null };
  const { mailbox } = request;
  const asked = [isSent ? `from:${mailbox}` : q, ...operatorsOf(query)].join(' ');
  const answer = await api.get<SearchAnswer>('/v1/search', { q: asked, ...request });
  // The operator finds `Reply-To` too, in which others may name the mailbox.
  const results = answer.results.filter(({ from }) => !isSent || from?.email === mailbox);
  return {
    rows: results.map((result) => foundRow(result, answer.mailbox)),
    next: answer.nextPageToken,
    hits: new Map(results.map((result) => [result.conversationId, result])),
  };
}

/** The filters of a list as operators of a search. */
function operatorsOf({ unread, status, label, assignee }: ListQuery): string[] {
  return [
    ...(unread === undefined ? [] : [unread ? 'is:unread' : '-is:unread']),
    ...(status === undefined ? [] : [`is:${status}`]),
    ...(label === undefined ? [] : [`label:"${label.replaceAll('"', '')}"`]),
    ...(assignee === undefined ? [] : [`assignee:${assignee}`]),
  ];
}

/** A search returns less of a conversation than a list. */
function foundRow(result: SearchResult, mailbox: string): Row {
  const { conversationId: id, subject, preview, from, lastMessageAt, labels } = result;
  return (
    rowOf(id) ?? {
      ...{ id, mailbox, subject, preview, from, lastMessageAt, labels },
      ...{ status: 'open', placement: 'inbox', assignee: null, teamId: null, unread: false },
      ...{ messageCount: 1, commentCount: 0, draftCount: 0, hasAttachments: false },
      participants: from ? [from] : [],
      ...{ lastMessageId: result.messageId, waitingSince: null, snoozedUntil: null },
      ...{ createdAt: lastMessageAt, updatedAt: lastMessageAt, contact: null, version: null },
    }
  );
}

/** A label and how many conversations of the member's mailboxes have it. */
interface CountedLabel {
  readonly label: string;
  readonly conversations: number;
}

/** The labels of some mailboxes, or all of the member's, the most used first. */
export function useLabels(mailboxes?: readonly string[]): readonly CountedLabel[] {
  const { mailboxes: all } = useAccount();
  return useQueries({
    queries: (mailboxes ?? all.map(({ address }) => address)).map((mailbox) => ({
      queryKey: ['labels', mailbox],
      queryFn: () => inTurn(() => api.get<LabelList>('/v1/labels', { mailbox })),
    })),
    combine: (results) => {
      const sums = new Map<string, number>();
      for (const { label, conversations } of results.flatMap(({ data }) => data?.labels ?? []))
        sums.set(label, (sums.get(label) ?? 0) + conversations);
      return [...sums]
        .map(([label, conversations]) => ({ label, conversations }))
        .toSorted((a, b) => b.conversations - a.conversations || (a.label < b.label ? -1 : 1));
    },
  });
}
