import sanitizeHtml from 'sanitize-html';
import { contentIdOf } from './header-fields.js';
import { shallowStart } from './html-depth.js';
import { limits } from './limits.js';
import { storableText } from './storable-text.js';

/** HTML of a message made safe to show, and what it refers to. */
export interface SanitisedHtml {
  readonly html: string;
  readonly hasRemoteContent: boolean;
  /** Content-IDs whose parts the HTML shows as images. */
  readonly shownContentIds: ReadonlySet<string>;
}

type Attributes = Readonly<Record<string, string>>;

const layout = ['align', 'valign', 'width', 'height', 'bgcolor', 'style', 'dir', 'lang', 'title'];
const tableLayout = ['border', 'cellpadding', 'cellspacing', 'colspan', 'rowspan', 'nowrap'];
/** Attributes that make a browser fetch something when the message is shown. */
const fetched = ['src', 'background', 'poster', 'data', 'dynsrc', 'lowsrc'];
/** Attributes that are built anew, whatever the message wrote. */
const rebuilt = new Set(['href', 'target', 'rel', 'src', 'style', 'data-remote-src']);
const remoteStyle =
  /(?:(?:url|src|image|image-set)\(|@import)[\s'"(]{0,9}(?:url\()?[\s'"]{0,9}(?:https?:)?\/\//i;

const references = ['href', 'xlink:href'];
/** Elements of SVG that refer to others, and `base`. */
const referring = new Set(['image', 'feimage', 'use', 'base']);
/** A remote address in a list of sources (`srcset`). */
const remoteSource = /(?:^|[\s,])(?:https?:)?[\\/]{2}/i;

const styleUnitsMax = 4096;

/**
 * Keeps an allow-list of elements, attributes and styles; everything else goes, text stays.
 * Remote images lose their `src` to `data-remote-src` (https or http), so that a reader can load
 * them when the user asks; `cid:` sources and small `data:` images stay.
 */
export function sanitiseHtml(source: string): SanitisedHtml {
  let unitsMax: number = limits.htmlUnitsMax;
  let result = sanitiseStart(source, unitsMax);
  // Entities lengthen it. The source is cut, not the result: that could end inside a tag.
  while (result.html.length > limits.htmlUnitsMax) {
    unitsMax /= 2;
    result = sanitiseStart(source, unitsMax);
  }
  return result;
}

function sanitiseStart(source: string, unitsMax: number): SanitisedHtml {
  const start = shallowStart(storableText(source, unitsMax));
  const shownContentIds = new Set<string>();
  let hasRemoteContent = fetchesStyle(start);
  const html = sanitizeHtml(start, {
    ...allowList,
    transformTags: {
      '*': (tagName, attribs) => {
        hasRemoteContent ||= fetchesRemotely(tagName, attribs);
        return { tagName, attribs: safeAttributes(tagName, attribs, shownContentIds) };
      },
    },
  });
  return { html, hasRemoteContent, shownContentIds };
}

/** No function but a colour's: url(), image-set(), var() and expression() fetch or run things. */
const plainValue = /^(?:rgba?\(|hsla?\(|\)|[\w\s#%.,'"!+/-])*$/i;
/** Without a minus: a negative margin lays a message over the page around it. */
const lengths = /^[\w\s%.+]*$/;

// prettier-ignore
const plainProperties = [
  'color', 'background', 'background-color', 'opacity', 'direction', 'display', 'visibility',
  'font', 'font-family', 'font-size', 'font-style', 'font-variant', 'font-weight',
  'line-height', 'letter-spacing', 'word-spacing', 'word-break', 'word-wrap', 'white-space',
  'overflow-wrap', 'text-align', 'text-decoration', 'text-transform', 'vertical-align',
  'border', 'border-top', 'border-right', 'border-bottom', 'border-left', 'border-color',
  'border-style', 'border-width', 'border-radius', 'border-collapse', 'border-spacing',
  'list-style-type', 'table-layout', 'float', 'clear',
];
// prettier-ignore
const lengthProperties = [
  'margin', 'margin-top', 'margin-right', 'margin-bottom', 'margin-left', 'text-indent',
  'padding', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left',
  'width', 'height', 'max-width', 'max-height', 'min-width', 'min-height',
];

/** The inline styles a message keeps: text, boxes and tables; nothing positioned, nothing loaded. */
const allowedStyles: Record<string, Record<string, RegExp[]>> = {
  '*': {
    ...Object.fromEntries(plainProperties.map((property) => [property, [plainValue]])),
    ...Object.fromEntries(lengthProperties.map((property) => [property, [lengths]])),
  },
};

const allowList: sanitizeHtml.IOptions = {
  // prettier-ignore
  allowedTags: [
    ...sanitizeHtml.defaults.allowedTags,
    'img', 'center', 'font', 'del', 'ins', 'strike', 'big', 'tt',
  ],
  allowedAttributes: {
    '*': layout,
    a: ['href', 'target', 'rel'],
    img: ['src', 'alt', 'data-remote-src'],
    font: ['color', 'face', 'size'],
    ol: ['start', 'type', 'reversed'],
    ...Object.fromEntries(
      ['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'col', 'colgroup'].map((tag) => [
        tag,
        tableLayout,
      ]),
    ),
  },
  allowedStyles,
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['cid', 'data'] },
  allowProtocolRelative: false,
  nonTextTags: ['script', 'style', 'textarea', 'option', 'xmp', 'title', 'template'],
  // Deeper elements lose their tags: a browser and html-to-text walk the tree recursively.
  nestingLimit: 200,
};

function fetchesRemotely(tagName: string, attribs: Attributes): boolean {
  const names = refers(tagName, attribs) ? [...references, ...fetched] : fetched;
  return (
    names.some((name) => remoteUrl(attribs[name] ?? '') !== null) ||
    remoteSource.test(attribs.srcset ?? '') ||
    // Here without its entities, which the source may have for its quotes.
    fetchesStyle(attribs.style ?? '')
  );
}

/** True if the reference of an element is fetched with it, not followed by a user. */
const refers = (tagName: string, { rel = '' }: Attributes): boolean =>
  referring.has(tagName) || (tagName === 'link' && /stylesheet|icon/i.test(rel));

function fetchesStyle(style: string): boolean {
  // CSS Syntax §4.3.7: a letter may be written as its number.
  const plain = style.replace(/\\([\da-f]{1,6})\s?/gi, (_, digits: string) =>
    String.fromCodePoint(Math.min(Number.parseInt(digits, 16), 0x10ffff)),
  );
  return remoteStyle.test(plain);
}

function safeAttributes(tagName: string, attribs: Attributes, shown: Set<string>): Attributes {
  const { href = '', src = '', style = '' } = attribs;
  return {
    ...Object.fromEntries(Object.entries(attribs).filter(([name]) => !rebuilt.has(name))),
    ...(style.length <= styleUnitsMax ? { style } : {}),
    ...(tagName === 'a' ? linkAttributes(href) : {}),
    ...(tagName === 'img' ? imageAttributes(src, shown) : {}),
  };
}

function linkAttributes(href: string): Attributes {
  const link = safeLink(href);
  if (link === null) return {};
  return { href: link, target: '_blank', rel: 'noopener noreferrer nofollow' };
}

function imageAttributes(src: string, shown: Set<string>): Attributes {
  const image = embeddedImage(src);
  if (image !== null) {
    if (image.contentId !== null) shown.add(image.contentId);
    return { src: image.src };
  }
  const remote = remoteUrl(src);
  return remote === null ? {} : { 'data-remote-src': remote };
}

const urlUnitsMax = 8192;
const dataImageUnitsMax = 256 * 1024;
const linkProtocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);
/** No SVG: it may carry scripts and remote references of its own. */
const dataImage = /^data:image\/(?:png|gif|jpe?g|webp|bmp|avif);base64,[\w+/=\s]*$/i;

/** A link that a user may follow, normalised so that no spelling hides its scheme; else null. */
function safeLink(value: string): string | null {
  const url = absoluteUrl(value);
  return url !== null && linkProtocols.has(url.protocol) ? url.href : null;
}

/** An http(s) address that showing the message would fetch; else null. */
function remoteUrl(value: string): string | null {
  const url = absoluteUrl(/^\s*[\\/]{2}/.test(value) ? `https:${value.trim()}` : value);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null;
}

/** An image that came with the message: a `cid:` part, or a bitmap in a `data:` URL. */
function embeddedImage(value: string): { src: string; contentId: string | null } | null {
  const src = value.trim();
  if (/^cid:/i.test(src) && src.length <= urlUnitsMax) {
    const contentId = contentIdOf(decoded(src.slice(4)));
    return contentId === null ? null : { src: `cid:${encodeURI(contentId)}`, contentId };
  }
  const isBitmap = src.length <= dataImageUnitsMax && dataImage.test(src);
  return isBitmap ? { src, contentId: null } : null;
}

/** Relative addresses are refused: in a browser they would lead into our own site. */
function absoluteUrl(value: string): URL | null {
  if (value.length > urlUnitsMax) return null;
  return URL.parse(value);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
