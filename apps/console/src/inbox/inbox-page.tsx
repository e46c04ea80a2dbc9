import { Drawer } from '@mantine/core';
import { useEffect, useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { EmptyState } from '../ui/states.js';
import { DetailsPane } from './details/details-pane.js';
import classes from './inbox.module.css';
import { InboxContext, type InboxState, type PickerKind } from './inbox-state.js';
import { focusList } from './list/conversation-listbox.js';
import { useChanges } from './list/follow-changes.js';
import { ListPane } from './list/list-pane.js';
import { useRow } from './list/rows.js';
import { usePresences } from './presence.js';
import { FindMailbox } from './thread/find-mailbox.js';
import { ThreadPane } from './thread/thread-pane.js';
import { OpenPicker } from './triage/pickers.js';
import { useAddress } from './search-params.js';
import { useInboxShortcuts } from './use-inbox-shortcuts.js';
import { useInboxState } from './use-inbox-state.js';

/** The shared inbox: its list, the conversation that is open, and its details. */
export function InboxPage(): ReactElement {
  const [picker, pick] = useState<PickerKind | null>(null);
  const inbox = useInboxState(pick);
  usePresences();
  useChanges();
  useInboxShortcuts(inbox, picker !== null);
  useListFocus(inbox);
  return (
    <InboxContext value={inbox}>
      <div className={classes.page} data-open={inbox.openId !== null || undefined}>
        <ListPane />
        <Opened inbox={inbox} />
      </div>
      <OpenPicker kind={picker} onClose={() => pick(null)} />
    </InboxContext>
  );
}

/** Keys work from the first moment, and after a conversation was closed. */
function useListFocus({ openId, state }: InboxState): void {
  const hasRows = state.ids.length > 0;
  useEffect(() => {
    if (openId === null && hasRows && document.activeElement === document.body) focusList();
  }, [openId, hasRows]);
}

/** The conversation and its details; on a narrow window the details are a drawer. */
function Opened({ inbox: { openId } }: { inbox: InboxState }): ReactElement {
  const [showsDetails, setShowsDetails] = useState(false);
  const mailbox = useMailboxOf(openId);
  if (openId === null)
    return (
      <div className={classes.nothing}>
        <EmptyState icon="inbox" title="No conversation is open">
          Go up and down with J and K, open with Enter. All keys are listed under ?.
        </EmptyState>
      </div>
    );
  if (mailbox === null) return <FindMailbox key={openId} id={openId} />;
  return (
    <>
      <h1 className={`visually-hidden ${classes.narrowTitle ?? ''}`}>Inbox</h1>
      <ThreadPane
        key={openId}
        {...{ id: openId, mailbox, onDetails: () => setShowsDetails(true) }}
      />
      <aside className={classes.details} aria-label="Details">
        <DetailsPane id={openId} />
      </aside>
      <Drawer
        {...{ opened: showsDetails, position: 'right', size: 320, title: 'Details', padding: 0 }}
        styles={{ header: { padding: 16 } }}
        onClose={() => setShowsDetails(false)}
      >
        <DetailsPane id={openId} />
      </Drawer>
    </>
  );
}

/** The mailbox of a conversation, from the address, the list, or because there is one only. */
function useMailboxOf(id: string | null): string | null {
  const { mailboxes } = useAccount();
  const { in: named, mailbox } = useAddress().search;
  const row = useRow(id ?? '');
  const only = mailboxes.length === 1 ? mailboxes[0]?.address : undefined;
  return named ?? row?.mailbox ?? mailbox ?? only ?? null;
}
