import { useEffect } from 'react';
import { pageMember } from '../api/api.js';

const holders = new Set<symbol>();

/** True while a form or an editor has text that the server does not have. */
export const hasUnsavedText = (): boolean => holders.size > 0;

/** Says for as long as `isDirty` that leaving the page would lose text; the browser asks before it leaves. */
export function useUnsavedText(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const holder = Symbol('unsaved');
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    holders.add(holder);
    addEventListener('beforeunload', ask);
    return () => {
      holders.delete(holder);
      removeEventListener('beforeunload', ask);
    };
  }, [isDirty]);
}

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
