/** An image whose source `sanitiseHtml` has taken out: within its tags nothing else writes these signs. */
const remoteImage = /<img [^<>]*data-remote-src="([^"<>]*)"/g;

/**
 * The address of a remote image that a sanitised message names.
 * @param n which one, from 0, in the order of the HTML
 * @returns null if it names fewer
 */
export function remoteImageOf(html: string, n: number): string | null {
  let before = 0;
  for (const [, address = ''] of html.matchAll(remoteImage)) {
    // An address has no other entity: its reserved characters are percent-encoded.
    if (before++ === n) return address.replaceAll('&amp;', '&');
  }
  return null;
}
