import { useEffect, useEffectEvent, useRef, useState, type ReactElement } from 'react';
import { frameStyle, prepare, type FramedMessage } from './prepare.js';

/** A message taller than this is scrolled in its frame. */
const heightMax = 30_000;
/** Nothing of the mail runs, is sent, or leads away; links open pages of their own. */
const sandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox';

/** Shows the HTML of a message in a document of its own. */
export function MailFrame(props: {
  message: FramedMessage;
  label: string;
  isDark: boolean;
  /** Shown until the frame is there. */
  meanwhile: ReactElement;
  /** Called with a link that is clicked; it is followed unless this answers false. */
  onLink: (link: { text: string; target: string }) => boolean;
}): ReactElement {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(80);
  const [isReady, setIsReady] = useState(false);
  const onLink = useEffectEvent(props.onLink);
  const { isDark } = props;
  const { id, mailbox, html, attachments, showsRemote, foldsQuotes } = props.message;
  useEffect(() => {
    const document = frame.current?.contentDocument;
    const window = document?.defaultView;
    if (!isReady || !document || !window) return undefined;
    write(
      document,
      isDark,
      prepare(window, { id, mailbox, html, attachments, showsRemote, foldsQuotes }),
    );
    const ending = new AbortController();
    const { signal } = ending;
    const onClick = (event: Event): void => {
      const link = linkAt(event.target);
      if (link && !onLink({ text: link.textContent, target: link.href })) event.preventDefault();
    };
    document.addEventListener('click', onClick, { signal });
    const onAuxClick = (event: MouseEvent): void => {
      if (event.button === 1) onClick(event);
    };
    document.addEventListener('auxclick', onAuxClick, { signal });
    document.addEventListener('keydown', passKeyOn, { signal });
    const observer = new ResizeObserver(() => setHeight(heightOf(document)));
    observer.observe(document.body);
    setHeight(heightOf(document));
    return () => {
      ending.abort();
      observer.disconnect();
    };
  }, [isReady, isDark, id, mailbox, html, attachments, showsRemote, foldsQuotes]);
  return (
    <>
      {!isReady && props.meanwhile}
      <iframe
        {...{ ref: frame, title: props.label, src: '/mail-frame.html', sandbox }}
        onLoad={() => setIsReady(true)}
        style={{
          display: 'block',
          width: '100%',
          height: isReady ? height : 0,
          border: 0,
          colorScheme: isDark ? 'dark' : 'light',
        }}
      />
    </>
  );
}

function write(document: Document, isDark: boolean, root: HTMLElement): void {
  const style = document.createElement('style');
  style.textContent = frameStyle(isDark);
  document.replaceChild(document.importNode(root, true), document.documentElement);
  document.head.prepend(style);
}

const heightOf = ({ documentElement: root, body }: Document): number =>
  Math.min(heightMax, Math.max(root.offsetHeight, body.scrollHeight));

/** Classes of the frame's own realm are not those of the page. */
const linkAt = (target: EventTarget | null): HTMLAnchorElement | null =>
  (target as Partial<Element> | null)?.closest?.<HTMLAnchorElement>('a[href]') ?? null;

/** Shortcuts go on working after a click into the mail. */
function passKeyOn(event: KeyboardEvent): void {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
  const copy = new KeyboardEvent('keydown', {
    ...{ key, code, ctrlKey, metaKey, altKey, shiftKey, cancelable: true, bubbles: true },
  });
  if (!window.document.body.dispatchEvent(copy)) event.preventDefault();
}
