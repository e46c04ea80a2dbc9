import { Box, CloseButton, Group, Skeleton, Text } from '@mantine/core';
import {
  lazy,
  Suspense,
  useEffect,
  useRef,
  useState,
  type DragEvent,
  type ReactElement,
} from 'react';
import { useAccount } from '../api/account.js';
import { useUnsavedText } from '../shell/unsaved.js';
import { AddressRows } from './address-rows.js';
import { Banners } from './banners.js';
import classes from './compose.module.css';
import type { DraftSession } from './draft-session.js';
import { Findings } from './findings.js';
import { FileList } from './file-list.js';
import { PanelFooter } from './panel-footer.js';
import { QuoteFold } from './quote-fold.js';
import { SignatureLine } from './signature-line.js';
import { useUploads, type FileSource } from './uploads.js';
import { useSending } from './use-sending.js';
import { useDraftInStep, useSession } from './sessions.js';
import { useShown } from './use-shown.js';

const MailEditor = lazy(async () => ({ default: (await import('./mail-editor.js')).MailEditor }));

interface AnswerPanelProps {
  readonly session: DraftSession;
  /** As "Reply"; the name of the region. */
  readonly title: string;
  /** A message of its own, not one of the conversation above it. */
  readonly isNew: boolean;
  /** The focus begins with the recipients, not with the text. */
  readonly startsAtRecipients: boolean;
  /** Files that it begins with. */
  readonly files?: readonly FileSource[] | undefined;
  readonly onClose: () => void;
}

/** A message that is being written: to whom, what it says, its files, and the ways on. */
export function AnswerPanel(props: AnswerPanelProps): ReactElement {
  const { session, title, isNew, startsAtRecipients, files, onClose } = props;
  const state = useSession(session);
  useDraftInStep(session);
  const uploads = useUploads(session);
  useFirstFiles(files, uploads.addFrom);
  const sending = useSending(session, onClose);
  const { isShown, isCut, onShown } = useShown(session);
  const canSend = useAccount().workspace.sendOpen && isShown;
  const { content, isSending } = state;
  const dropping = useDropping(uploads.add);
  useUnsavedText(session.isDirty() || uploads.isBusy);
  const close = (): void => {
    session.leave();
    onClose();
  };
  const send = (): void => {
    if (canSend && !uploads.isBusy) sending.send({});
  };
  return (
    <Box
      {...{ component: 'section', 'aria-label': title }}
      {...dropping.handlers}
      className={`${classes.panel ?? ''} ${dropping.isOver ? (classes.isOver ?? '') : ''}`}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          send();
        }
      }}
    >
      <PanelHead {...{ title }} onClose={close} />
      <Banners {...{ session, state, error: sending.error }} />
      <AddressRows {...{ session, state, isNew, hasFocus: startsAtRecipients }} />
      <Suspense fallback={<Skeleton h={160} m="sm" w="auto" aria-label="The editor is loading" />}>
        <MailEditor
          {...{ html: content.html, isFrozen: isSending, hasFocus: !startsAtRecipients }}
          placeholder="Write your message"
          {...{ onShown, onChange: (html) => session.change({ html }) }}
        />
      </Suspense>
      {isCut && (
        <Text {...{ size: 'sm', c: 'dimmed', px: 'sm', role: 'status' }}>
          Parts that the editor cannot show were left out.
        </Text>
      )}
      <SignatureLine {...{ session, content, isFrozen: isSending }} />
      <QuoteFold
        {...{ quote: content.quote, isFrozen: isSending }}
        onRemove={() => session.change({ quote: '' })}
      />
      <FileList
        {...{ files: content.attachments, uploads, isFrozen: isSending }}
        onRemove={(id) =>
          session.change({ attachments: content.attachments.filter((one) => one.id !== id) })
        }
      />
      <PanelFooter {...{ session, state, uploads, sending, canSend, onClose, onSend: send }} />
      <Findings sending={sending} />
    </Box>
  );
}

const PanelHead = (props: { title: string; onClose: () => void }): ReactElement => (
  <Group justify="space-between" px="sm" pt={6} wrap="nowrap">
    <Text fw={600} size="sm">
      {props.title}
    </Text>
    <CloseButton size="sm" aria-label="Close; it stays a draft" onClick={props.onClose} />
  </Group>
);

/** Takes the files that a message begins with, once. */
function useFirstFiles(
  files: readonly FileSource[] = [],
  add: (files: readonly FileSource[]) => void,
): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || files.length === 0) return;
    isDone.current = true;
    add(files);
  }, [files, add]);
}

/** Files that are dragged over the panel are taken by it. */
function useDropping(add: (files: readonly File[]) => void) {
  const [isOver, setIsOver] = useState(false);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave: () => setIsOver(false),
      onDropCapture: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        setIsOver(false);
        add([...event.dataTransfer.files]);
      },
    },
  };
}
