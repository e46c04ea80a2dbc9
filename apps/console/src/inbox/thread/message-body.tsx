import { Button, Group, Text, useComputedColorScheme } from '@mantine/core';
import type { Message } from '@postroom/contracts';
import { useMemo, useState, type ReactElement } from 'react';
import { LinkPrompt, type Link } from '../../mail-frame/link-prompt.js';
import { MailFrame } from '../../mail-frame/mail-frame.js';
import { PlainText } from '../../mail-frame/plain-text.js';
import { hasColours, remoteImageCount } from '../../mail-frame/prepare.js';
import classes from '../inbox.module.css';

interface BodyProps {
  readonly message: Message;
  readonly mailbox: string;
  readonly isPlain: boolean;
}

/** The text of a message: its HTML in a frame, or plain. */
export function MessageBody({ message, mailbox, isPlain }: BodyProps): ReactElement {
  if (message.html === null || isPlain) return <PlainBody message={message} />;
  return <HtmlBody {...{ message, mailbox, html: message.html }} />;
}

/** True if the server knows a part of the text to be a quotation. */
const hasQuotation = ({ text, extractedText }: Message): boolean =>
  extractedText !== null &&
  extractedText.trim() !== '' &&
  extractedText.trim().length < (text ?? '').trim().length;

function PlainBody({ message }: { message: Message }): ReactElement {
  const [isWhole, setIsWhole] = useState(false);
  const { text, extractedText } = message;
  if (text === null) return <Text c="dimmed">This message has no text that can be shown.</Text>;
  const isFolded = hasQuotation(message) && !isWhole;
  return (
    <div>
      <PlainText text={isFolded ? (extractedText ?? text) : text} />
      {hasQuotation(message) && (
        <Button
          {...{ size: 'compact-xs', variant: 'default', mt: 'xs', 'aria-expanded': isWhole }}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? 'Hide quoted text' : 'Quoted text'}
        </Button>
      )}
    </div>
  );
}

function HtmlBody(props: { message: Message; mailbox: string; html: string }): ReactElement {
  const { message, mailbox, html } = props;
  const { id, attachments, hasRemoteContent } = message;
  const { showsRemote, show, showAlways } = useRemoteImages(message);
  const [asked, setAsked] = useState<Link | null>(null);
  const remote = useMemo(
    () => (hasRemoteContent ? remoteImageCount(html) : 0),
    [hasRemoteContent, html],
  );
  const isDark = useComputedColorScheme() === 'dark' && !hasColours(html);
  const isMisleading = message.trust?.reasons.includes('misleading_link') ?? false;
  const foldsQuotes = hasQuotation(message);
  return (
    <>
      {remote > 0 && !showsRemote && (
        <RemoteImages count={remote} onOnce={show} onAlways={showAlways} />
      )}
      <div className={classes.paper} data-dark={isDark || undefined}>
        <MailFrame
          message={{ id, mailbox, html, attachments, showsRemote, foldsQuotes }}
          {...{ isDark, label: 'Text of the message' }}
          meanwhile={
            <Meanwhile isDark={isDark} text={message.extractedText ?? message.text ?? ''} />
          }
          onLink={(link) => {
            if (isMisleading) setAsked(link);
            return !isMisleading;
          }}
        />
      </div>
      <LinkPrompt link={asked} onClose={() => setAsked(null)} />
    </>
  );
}

const Meanwhile = ({ text, isDark }: { text: string; isDark: boolean }): ReactElement => (
  <div style={isDark ? { padding: '4px 0' } : { padding: '12px 16px', color: '#1a1b1e' }}>
    <PlainText text={text.slice(0, 5_000)} />
  </div>
);

interface RemoteChoice {
  readonly showsRemote: boolean;
  readonly show: () => void;
  /** Null for a sender whose name is not proved. */
  readonly showAlways: (() => void) | null;
}

/** The reader's choice for images from elsewhere, of this message or of all of its sender. */
function useRemoteImages({ from, trust }: Message): RemoteChoice {
  const isOrdinary = trust === undefined || trust.level === 'ordinary';
  const sender = isOrdinary ? (from?.email ?? null) : null;
  const [showsRemote, setShowsRemote] = useState(() => sender !== null && isShownAlways(sender));
  const show = (): void => setShowsRemote(true);
  const always = (): void => {
    if (sender !== null) showAlways(sender);
    show();
  };
  return { showsRemote, show, showAlways: sender === null ? null : always };
}

const RemoteImages = (props: {
  count: number;
  onOnce: () => void;
  onAlways: (() => void) | null;
}): ReactElement => (
  <Group gap="xs" mb={6}>
    <Text size="xs" c="dimmed">
      {props.count === 1 ? '1 image from elsewhere is' : `${props.count} images from elsewhere are`}{' '}
      not shown.
    </Text>
    <Button size="compact-xs" variant="default" onClick={props.onOnce}>
      Show once
    </Button>
    {props.onAlways && (
      <Button size="compact-xs" variant="subtle" onClick={props.onAlways}>
        Always for this sender
      </Button>
    )}
  </Group>
);

/** Senders whose images from elsewhere are always shown, in this browser. */
const key = 'remote-image-senders';
const sendersMax = 500;

const read = (): readonly string[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
};

const isShownAlways = (sender: string): boolean => read().includes(sender.toLowerCase());

const showAlways = (sender: string): void =>
  localStorage.setItem(
    key,
    JSON.stringify([...new Set([...read(), sender.toLowerCase()])].slice(-sendersMax)),
  );
