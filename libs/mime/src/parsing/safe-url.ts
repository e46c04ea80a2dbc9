import { contentIdOf } from './message-ids.js';

const urlUnitsMax = 8192;
const dataImageUnitsMax = 256 * 1024;
const linkProtocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);
/** No SVG: it may carry scripts and remote references of its own. */
const dataImage = /^data:image\/(?:png|gif|jpe?g|webp|bmp|avif);base64,[\w+/=\s]*$/i;

/** A link that a user may follow, normalised so that no spelling hides its scheme; else null. */
export function safeLink(value: string): string | null {
  const url = absoluteUrl(value);
  return url !== null && linkProtocols.has(url.protocol) ? url.href : null;
}

/** An http(s) address that showing the message would fetch; else null. */
export function remoteUrl(value: string): string | null {
  const url = absoluteUrl(/^\s*[\\/]{2}/.test(value) ? `https:${value.trim()}` : value);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null;
}

/** An image that came with the message: a `cid:` part, or a bitmap in a `data:` URL. */
export function embeddedImage(value: string): { src: string; contentId: string | null } | null {
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
