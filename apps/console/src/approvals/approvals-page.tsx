import { useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, type ReactElement } from 'react';
import { conversationQuery } from '../inbox/conversation-query.js';
import { usePresences } from '../inbox/presence.js';
import { useShortcuts } from '../shell/shortcuts.js';
import style from './approvals.module.css';
import { conversationOf } from './request/headline.js';
import { Detail } from './detail.js';
import { QueueList } from './queue-list.js';
import { countOf, itemsOf, queueQuery, queueSearch, useLiveQueue } from './queue.js';
import { useSelection } from './selection.js';

/** The queue of what agents ask for, and the request that is shown. */
export function ApprovalsPage(): ReactElement {
  const search = useSearch({ from: '/shell/approvals' });
  const { approvalId } = useParams({ strict: false });
  const query = useInfiniteQuery(queueQuery(search));
  const items = itemsOf(query.data);
  const count = countOf(query.data, search);
  const selection = useSelection(items);
  const show = useShow();
  const next = nextOf(items, approvalId);
  useLiveQueue(search);
  usePresences();
  useFirst(approvalId, items[0]?.id, show);
  usePreload(next === undefined ? undefined : items.find(({ id }) => id === next));
  useDocumentTitle(`${titleCount(count, search.state)}Approvals – Postroom`);
  const move = (step: 1 | -1): void => {
    const at = items.findIndex(({ id }) => id === approvalId);
    const to = items[at < 0 ? 0 : at + step];
    if (to) show(to.id);
  };
  useShortcuts([
    { keys: 'j', label: 'Next request', run: () => move(1) },
    { keys: 'k', label: 'Request before', run: () => move(-1) },
    { keys: 'ArrowDown', label: 'Next request', run: () => move(1) },
    { keys: 'ArrowUp', label: 'Request before', run: () => move(-1) },
    {
      keys: 'x',
      label: 'Select the request, to decide about several',
      run: () => approvalId !== undefined && selection.toggle(approvalId),
    },
  ]);
  return (
    <div className={style.page} data-open={approvalId !== undefined || undefined}>
      <QueueList {...{ query, items, count, selection, approvalId }} />
      <Detail
        {...{ approvalId, isEmpty: items.length === 0 && query.isSuccess }}
        onDecided={() => show(next)}
      />
    </div>
  );
}

const titleCount = (count: number | null, state: string | undefined): string =>
  count !== null && count > 0 && state !== 'closed' ? `(${count}) ` : '';

/** The one that follows in the queue, or the one before at its end. */
function nextOf(
  items: readonly { readonly id: string }[],
  id: string | undefined,
): string | undefined {
  const at = items.findIndex((one) => one.id === id);
  return at < 0 ? items[0]?.id : (items[at + 1] ?? items[at - 1])?.id;
}

/** Shows a request, or the queue alone, with the same filters. */
function useShow(): (id: string | undefined, replace?: boolean) => void {
  const navigate = useNavigate();
  return (id, replace = false) =>
    void navigate({
      ...(id === undefined
        ? { to: '/approvals' }
        : { to: '/approvals/$approvalId', params: { approvalId: id } }),
      search: queueSearch,
      replace,
    });
}

/** Beside the queue there is always a request. Which one stays, however many arrive before it. */
function useFirst(
  shown: string | undefined,
  first: string | undefined,
  show: (id: string, replace: boolean) => void,
): void {
  const isWide = useMediaQuery('(min-width: 768px)', undefined, { getInitialValueInEffect: false });
  useEffect(() => {
    if (isWide && shown === undefined && first !== undefined) show(first, true);
  });
}

/** Reads the conversation of the next request before it is shown. */
function usePreload(next: Parameters<typeof conversationOf>[0] | undefined): void {
  const client = useQueryClient();
  const place = next ? conversationOf(next) : null;
  const { conversationId, mailbox } = place ?? {};
  useEffect(() => {
    if (conversationId !== undefined && mailbox !== undefined)
      client.query(conversationQuery(conversationId, mailbox)).catch(() => undefined);
  }, [client, conversationId, mailbox]);
}
