import { pageMember } from '../api/page-member.js';

type Kind = 'compose' | 'comment';

/** The key under which this tab keeps what the page's member writes at a place. */
export const keptKey = (kind: Kind, place: string): string =>
  `${kind}:${pageMember() ?? ''}:${place}`;

/** Removes what another member has left unsent in this tab. */
export function forgetOthers(memberId: string): void {
  for (const key of Object.keys(sessionStorage)) {
    const [kind, owner] = key.split(':', 2);
    if ((kind === 'compose' || kind === 'comment') && owner !== memberId)
      sessionStorage.removeItem(key);
  }
}
