import { urlOf } from '../api/api.js';

/** True of mail that chooses colours: it keeps a light paper, since re-colouring breaks mail. */
export const hasColours = (html: string): boolean =>
  /<style[\s>]|<font\b|\bbgcolor\s*=|\b(?:color|background|background-color)\s*:/i.test(html);

/** Styles below those of the mail. Without colours of its own it has those of the scheme. */
const darkStyle = `
html { color-scheme: dark; background: transparent; }
body { color: #c9c9c9; padding: 4px 0; }
a { color: #91a7ff; }
blockquote { border-color: #424242; color: #a6a7ab; }
img.postroom-blocked, details.postroom-quote > summary { background: #2e2e2e; color: #c9c9c9; }
`;

export const frameStyle = (isDark: boolean): string =>
  isDark ? lightStyle + darkStyle : lightStyle;

const lightStyle = `
html, body { height: auto !important; min-height: 0 !important; }
html { color-scheme: light; background: #fff; }
body { margin: 0; padding: 12px 16px; color: #1a1b1e; overflow-wrap: anywhere; overflow-x: auto;
  overflow-y: hidden; font: 14px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif; }
img { max-width: 100%; height: auto; }
img.postroom-blocked { display: inline-block; min-width: 16px; min-height: 16px;
  background: #f1f3f5; outline: 1px dashed #adb5bd; outline-offset: -1px; }
pre { white-space: pre-wrap; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid #ced4da; color: #495057; }
details.postroom-quote > summary { cursor: pointer; display: inline-block; padding: 0 8px; margin: 8px 0;
  border-radius: 8px; background: #f1f3f5; color: #495057; font-size: 12px; }
table { max-width: 100%; }
`;

/** A message as far as its HTML needs it. */
export interface FramedMessage {
  readonly id: string;
  readonly mailbox: string;
  /** Sanitised by the server. */
  readonly html: string;
  readonly attachments: readonly { readonly id: string; readonly contentId: string | null }[];
  /** True if images from elsewhere are to be shown, through the server. */
  readonly showsRemote: boolean;
  /** True if quotations are folded away. */
  readonly foldsQuotes: boolean;
}

const remoteImages = 'img[data-remote-src]';

/** Images from elsewhere in sanitised HTML. */
export const remoteImageCount = (html: string): number =>
  html.match(/<img\b[^<>]*\bdata-remote-src=/gi)?.length ?? 0;

/**
 * The document that is written into the frame, parsed by the frame: under the policy of the page its styles would be
 * refused.
 */
export function prepare(frame: Window & typeof globalThis, message: FramedMessage): HTMLElement {
  const parsed = new frame.DOMParser().parseFromString(message.html, 'text/html');
  const { documentElement: root } = parsed;
  showInlineImages(root, message);
  if (message.showsRemote) showRemoteImages(root, message);
  else markRemoteImages(root);
  if (message.foldsQuotes) foldQuotes(root);
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href], area[href]'))
    prepareLink(link);
  return root;
}

/** Pictures that came with the message stand in it as `cid:`. */
function showInlineImages(root: HTMLElement, { attachments, mailbox }: FramedMessage): void {
  for (const image of root.querySelectorAll('img[src^="cid:" i]')) {
    const name = decoded((image.getAttribute('src') ?? '').slice(4));
    const attachment = attachments.find(({ contentId }) => contentId === name);
    if (attachment)
      image.setAttribute('src', urlOf(`/v1/attachments/${attachment.id}`, { mailbox }));
    else image.removeAttribute('src');
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function showRemoteImages(root: HTMLElement, { id, mailbox }: FramedMessage): void {
  [...root.querySelectorAll(remoteImages)].forEach((image, n) => {
    image.setAttribute('src', urlOf(`/v1/messages/${id}/remote-image`, { mailbox, n }));
    image.setAttribute('loading', 'lazy');
  });
}

/** An image without a source would be a broken one. */
function markRemoteImages(root: HTMLElement): void {
  for (const image of root.querySelectorAll(remoteImages)) image.classList.add('postroom-blocked');
}

/** Outermost quotations go behind a line that opens them, without a script. */
function foldQuotes(root: HTMLElement): void {
  const quotes = [...root.querySelectorAll('.gmail_quote, .yahoo_quoted, blockquote')];
  for (const quote of quotes) {
    if (quote.parentElement?.closest('details.postroom-quote')) continue;
    const details = root.ownerDocument.createElement('details');
    const summary = root.ownerDocument.createElement('summary');
    details.className = 'postroom-quote';
    summary.textContent = 'Quoted text';
    quote.replaceWith(details);
    details.append(summary, quote);
  }
}

const safeSchemes = ['http:', 'https:', 'mailto:', 'tel:'];

/** A link opens a page of its own, which learns nothing of this one, and says where it leads. */
function prepareLink(link: HTMLAnchorElement): void {
  const target = link.getAttribute('href') ?? '';
  if (!safeSchemes.some((scheme) => target.toLowerCase().trim().startsWith(scheme))) {
    link.removeAttribute('href');
    return;
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.title = target;
}
