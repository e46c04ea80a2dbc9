import { useEffect } from 'react';

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
