import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { Account } from '@postroom/contracts';
import { useAccount } from '../api/account.js';
import { AnswerPanel } from './answer-panel.js';
import classes from './compose.module.css';
import type { Content } from './content.js';
import type { DraftSession } from './draft-session.js';
import type { PanelRequest } from './open-composer.js';
import { beginSession, foundSession, resumeSession } from './sessions.js';
import { signaturesQuery, useDefaultSignature } from './signature-line.js';

const place = 'new';
/** A request begins one message, however often it is drawn. */
const begun = new WeakMap<PanelRequest, DraftSession>();

/** A message that belongs to no conversation on the page. */
export function NewMessagePanel(props: {
  request: PanelRequest;
  onClose: () => void;
}): ReactElement | null {
  const { isPending } = useQuery(signaturesQuery);
  return isPending ? null : <Panel {...props} />;
}

function Panel(props: { request: PanelRequest; onClose: () => void }): ReactElement {
  const { request, onClose } = props;
  const account = useAccount();
  const signatureOf = useDefaultSignature();
  const begin = (): DraftSession => {
    const session = begun.get(request) ?? sessionFor(request, account, signatureOf);
    begun.set(request, session);
    return session;
  };
  const [shown, setShown] = useState(() => ({ request, session: begin(), count: 0 }));
  // A further request, while the panel is open.
  if (shown.request !== request) {
    setShown({ request, session: begin(), count: shown.count + 1 });
  }
  const { threadId } = shown.session.get().content;
  return (
    <Box className={classes.dock}>
      <AnswerPanel
        {...{ session: shown.session, isNew: true, onClose, startsAtRecipients: true }}
        key={shown.count}
        title={threadId === null ? 'New message' : 'Draft'}
      />
    </Box>
  );
}

function sessionFor(
  request: PanelRequest,
  { mailboxes }: Account,
  signatureOf: (mailbox: string) => string | null,
): DraftSession {
  if ('kept' in request) return resumeSession(place, request.kept);
  const own = mailboxes.filter(({ access }) => access === 'write');
  const mailbox = request.mailbox ?? own[0]?.address ?? '';
  const found = foundSession(place);
  if (found && (request.to ?? []).length === 0) return found;
  const content: Content = {
    ...{ mailbox, threadId: null, inReplyTo: null, to: request.to ?? [], cc: [], bcc: [] },
    ...{ subject: '', html: '', quote: '', attachments: [], signatureId: signatureOf(mailbox) },
  };
  return beginSession(place, content);
}
