import type { Conversation, Draft } from '@postroom/contracts';
import { Box, Button, Group, Text } from '@mantine/core';
import { useEffect, useEffectEvent, useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { tellWriting } from '../inbox/presence.js';
import { Icon } from '../ui/icons.js';
import { AnswerPanel } from './answer-panel.js';
import { answered, answerTo, hasOthers, type AnswerKind } from './answers.js';
import { CommentPanel, keptComment } from './comment-panel.js';
import { hasText } from './content.js';
import type { DraftSession, Kept } from './draft-session.js';
import { FoundDrafts } from './found-drafts.js';
import { keptOf, onOpenComposer, takeKept, type ComposerKind } from './open-composer.js';
import { beginSession, foundSession, resumeSession, useSession } from './sessions.js';
import { useDefaultSignature } from './signature-line.js';
import { attachedSource, type FileSource } from './uploads.js';

type Open =
  | { readonly kind: 'comment' }
  | {
      readonly kind: AnswerKind | 'draft';
      readonly session: DraftSession;
      /** The files of the message that is forwarded. */
      readonly files?: readonly FileSource[];
    };

const titles = {
  ...{ reply: 'Reply', replyAll: 'Reply to all', forward: 'Forward', draft: 'Draft' },
} as const;

/** The place below a conversation where an answer or a comment is written. */
export function Composer({ conversation }: { conversation: Conversation }): ReactElement | null {
  const { mailboxes } = useAccount();
  const mailbox = mailboxes.find(({ address }) => address === conversation.mailbox);
  if (mailbox?.access !== 'write')
    return (
      <Text size="sm" c="dimmed" p="sm">
        You may read {conversation.mailbox}, and not write in it.
      </Text>
    );
  return <ComposerOf key={conversation.id} conversation={conversation} />;
}

function ComposerOf({ conversation }: { conversation: Conversation }): ReactElement {
  const [open, setOpen] = useOpen(conversation);
  useEffect(() => {
    tellWriting(open !== null && open.kind !== 'comment');
    return () => tellWriting(false);
  }, [open]);
  return (
    <Box px={{ base: 'xs', sm: 'md' }} pb="md">
      <ShownDrafts {...{ conversation, open }} onOpen={(draft) => setOpen(keptOf(draft))} />
      {open === null && <Beginnings {...{ conversation }} onBegin={setOpen} />}
      {open?.kind === 'comment' && (
        <CommentPanel conversation={conversation} onClose={() => setOpen(null)} />
      )}
      {open !== null && open.kind !== 'comment' && (
        <AnswerPanel
          {...{ session: open.session, title: titles[open.kind], isNew: false }}
          key={sessionKey(open.session)}
          {...{ startsAtRecipients: open.kind === 'forward', files: open.files }}
          onClose={() => setOpen(null)}
        />
      )}
    </Box>
  );
}

/** The open panel, and the ways to open another; a text goes on as a draft. */
function useOpen(conversation: Conversation) {
  const { id } = conversation;
  const signatureOf = useDefaultSignature();
  const [open, set] = useState<Open | null>(() => found(id));
  const begin = (kind: ComposerKind | Kept | null): void => {
    if (kind === null) set(null);
    else if (typeof kind !== 'string') set({ kind: 'draft', session: resumeSession(id, kind) });
    else if (kind === 'comment') set({ kind });
    else {
      const content = answerTo(conversation, kind, signatureOf(conversation.mailbox));
      const session = continued(id, kind, content) ?? beginSession(id, content);
      set({ kind, session, files: kind === 'forward' ? filesOf(conversation) : [] });
    }
  };
  const onOpen = useEffectEvent(begin);
  const onKept = useEffectEvent((kept: Kept): boolean => {
    const isOurs = kept.content.threadId === id;
    if (isOurs) begin(kept);
    return isOurs;
  });
  useEffect(() => onOpenComposer((kind) => onOpen(kind)), []);
  useEffect(() => takeKept((kept) => onKept(kept)), []);
  return [open, begin] as const;
}

const filesOf = (conversation: Conversation): readonly FileSource[] =>
  (answered(conversation, 'forward')?.attachments ?? []).map((file) =>
    attachedSource(file, conversation.mailbox),
  );

function found(id: string): Open | null {
  const session = foundSession(id);
  if (session) return { kind: 'draft', session };
  return keptComment(id) === '' ? null : { kind: 'comment' };
}

/** An answer with a text goes on, to others if so asked; a forward begins anew. */
function continued(
  id: string,
  kind: AnswerKind,
  { to, cc }: ReturnType<typeof answerTo>,
): DraftSession | null {
  const session = foundSession(id);
  if (!session || kind === 'forward' || !hasText(session.get().content)) return null;
  if (kind === 'replyAll') session.change({ to, cc });
  return session;
}

const keys = new WeakMap<DraftSession, string>();

function sessionKey(session: DraftSession): string {
  const key = keys.get(session) ?? crypto.randomUUID();
  keys.set(session, key);
  return key;
}

function ShownDrafts(props: {
  conversation: Conversation;
  open: Open | null;
  onOpen: (draft: Draft) => void;
}): ReactElement {
  const { open, ...rest } = props;
  return open && open.kind !== 'comment' ? (
    <DraftsBeside {...rest} session={open.session} />
  ) : (
    <FoundDrafts {...rest} openId={null} />
  );
}

const DraftsBeside = ({
  session,
  ...rest
}: {
  session: DraftSession;
  conversation: Conversation;
  onOpen: (draft: Draft) => void;
}): ReactElement => <FoundDrafts {...rest} openId={useSession(session).draft?.id ?? null} />;

const Beginnings = (props: {
  conversation: Conversation;
  onBegin: (kind: ComposerKind) => void;
}): ReactElement => (
  <Group justify="space-between" gap="xs" className="in-one-line">
    <Group gap="xs">
      <Button
        {...{ size: 'sm', onClick: () => props.onBegin('reply') }}
        leftSection={<Icon name="reply" size={16} />}
      >
        Reply
      </Button>
      {hasOthers(props.conversation) && (
        <Button size="sm" variant="default" onClick={() => props.onBegin('replyAll')}>
          Reply to all
        </Button>
      )}
      <Button
        {...{ size: 'sm', variant: 'default', onClick: () => props.onBegin('forward') }}
        leftSection={<Icon name="forward" size={16} />}
      >
        Forward
      </Button>
    </Group>
    <Button
      {...{ size: 'sm', variant: 'light', color: 'yellow', c: 'var(--mantine-color-text)' }}
      leftSection={<Icon name="comment" size={16} />}
      onClick={() => props.onBegin('comment')}
    >
      Comment
    </Button>
  </Group>
);
