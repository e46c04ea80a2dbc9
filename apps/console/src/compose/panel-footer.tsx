import { ActionIcon, Button, FileButton, Group, Menu, Modal, Text, Tooltip } from '@mantine/core';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { Icon } from '../ui/icons.js';
import { offerUndo, undoMs } from '../ui/notices.js';
import { Loading } from '../ui/states.js';
import { shortTime } from '../ui/time.js';
import classes from './compose.module.css';
import { hasText } from './content.js';
import { removeDraft } from './draft-requests.js';
import type { DraftSession, SessionState } from './draft-session.js';
import { openKept } from './open-composer.js';
import type { Uploads } from './uploads.js';
import type { SendingState } from './use-sending.js';

interface FooterProps {
  readonly session: DraftSession;
  readonly state: SessionState;
  readonly uploads: Uploads;
  readonly sending: SendingState;
  readonly canSend: boolean;
  readonly onSend: () => void;
  readonly onClose: () => void;
}

/** The ways on: send, later, files, and away with it. */
export function PanelFooter(props: FooterProps): ReactElement {
  const { session, state, uploads, onClose } = props;
  return (
    <Group className={classes.footer ?? ''} justify="space-between" px="sm" py="xs" gap="xs">
      <Group gap="xs">
        <SendControls {...props} />
        <FileButton multiple onChange={uploads.add} disabled={state.isSending}>
          {(button) => (
            <Tooltip label="Attach files">
              <ActionIcon {...button} variant="subtle" color="gray" aria-label="Attach files">
                <Icon name="attach" />
              </ActionIcon>
            </Tooltip>
          )}
        </FileButton>
      </Group>
      <Group gap="xs">
        <SaveState state={state} isDirty={session.isDirty()} />
        <Tooltip label="Discard">
          <ActionIcon
            {...{ variant: 'subtle', color: 'gray', disabled: state.isSending }}
            aria-label="Discard the draft"
            onClick={() => {
              discard(session);
              onClose();
            }}
          >
            <Icon name="trash" />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  );
}

/** Puts a message away. Its draft is removed once the time to undo it is over. */
function discard(session: DraftSession): void {
  session.close();
  const { draft, content } = session.get();
  if (!draft && !hasText(content)) return;
  const forget = (): void => {
    clearTimeout(timer);
    removeEventListener('pagehide', remove);
  };
  const remove = (): void => {
    forget();
    // It may have been saved only just.
    const last = session.get().draft;
    if (last) removeDraft(content.mailbox, last.id).catch(() => undefined);
  };
  const timer = setTimeout(remove, undoMs + 500);
  // A page that is left cannot undo any more.
  addEventListener('pagehide', remove);
  offerUndo('Draft discarded.', () => {
    forget();
    const { saved, draft: last, failure } = session.get();
    openKept({ content, saved, draft: last, failure, pending: null });
  });
}

function SendControls(props: FooterProps): ReactElement {
  const { session, state, uploads, sending, canSend, onSend } = props;
  const [isChoosing, setIsChoosing] = useState(false);
  const { content, isSending, saving, conflict } = state;
  const recipients = content.to.length + content.cc.length + content.bcc.length;
  const isHeld = !canSend || uploads.isBusy || recipients === 0 || conflict !== null;
  if (isSending && saving === 'waiting')
    return (
      <Button size="sm" variant="default" onClick={() => session.setSending(false)}>
        Waiting for the connection: do not send
      </Button>
    );
  return (
    <Button.Group>
      <Button
        {...{ size: 'sm', onClick: onSend, loading: isSending, disabled: isHeld }}
        leftSection={<Icon name="send" size={16} />}
      >
        {uploads.isBusy ? 'Waiting for files' : 'Send'}
      </Button>
      <Menu position="top-start">
        <Menu.Target>
          <Button size="sm" px={8} disabled={isHeld || isSending} aria-label="More ways to send">
            <Icon name="down" size={14} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Icon name="snooze" size={16} />}
            onClick={() => setIsChoosing(true)}
          >
            Send later
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SendLater
        {...{ isOpen: isChoosing, onClose: () => setIsChoosing(false) }}
        onChoose={(at) => {
          setIsChoosing(false);
          sending.send({ at });
        }}
      />
    </Button.Group>
  );
}

function SaveState({ state, isDirty }: { state: SessionState; isDirty: boolean }): ReactElement {
  const { saving, savedAt, error, conflict } = state;
  const text = (): string => {
    if (conflict) return 'Not saved: changed by somebody else';
    if (error !== null) return 'Not saved';
    if (saving === 'waiting') return 'Kept in this tab until the connection is back';
    if (saving === 'now' || isDirty) return 'Saving';
    return savedAt === null ? '' : `Draft saved ${shortTime(new Date(savedAt))}`;
  };
  return (
    <Text size="xs" c="dimmed" role="status">
      {text()}
    </Text>
  );
}

const ChooseTime = lazy(async () => ({ default: (await import('./choose-time.js')).ChooseTime }));

/** Asks when a message is to leave. */
const SendLater = (props: {
  isOpen: boolean;
  onClose: () => void;
  /** Called with the time, ISO 8601. */
  onChoose: (at: string) => void;
}): ReactElement => (
  <Modal opened={props.isOpen} onClose={props.onClose} title="Send later">
    {props.isOpen && (
      <Suspense fallback={<Loading />}>
        <ChooseTime onChoose={props.onChoose} />
      </Suspense>
    )}
  </Modal>
);
