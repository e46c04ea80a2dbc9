import type { Violation } from '../fields/index.js';

const fault = (fr: string, en: string): Violation => ({ field: 'url', message: { fr, en } });

const noUrl = fault(
  'URL https complète attendue (https://hôte[:port]/…), sans espace ni barre oblique inverse',
  'expected a whole https URL (https://host[:port]/…), without spaces and backslashes',
);
const withUser = fault(
  'une URL sans nom d’utilisateur ni mot de passe est attendue',
  'expected a URL without user name or password',
);
const withFragment = fault('une URL sans fragment est attendue', 'expected a URL without fragment');

/**
 * What is wrong with a target URL by itself: whether its host may be dialled is judged where it is
 * stored. Without TLS only what the operator allow-lists may be, so both schemes pass here.
 */
export function targetUrlFaults({ url }: { readonly url?: string }): readonly Violation[] {
  if (url === undefined) return [];
  // The URL parser drops some control characters and takes backslashes for slashes.
  if (/[\s\p{C}\\]/u.test(url)) return [noUrl];
  const parsed = URL.parse(url);
  // It also reads `https:host`, and takes port 0.
  if (!parsed || !/^https?:\/\//i.test(url) || parsed.port === '0') return [noUrl];
  if (parsed.username !== '' || parsed.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(url)) {
    return [withUser];
  }
  return url.includes('#') ? [withFragment] : [];
}
