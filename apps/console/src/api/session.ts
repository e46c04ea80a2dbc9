/** The wait for a new session, once it has ended under the open page. */
let ended: { readonly wait: Promise<void>; readonly resolve: () => void } | null = null;
let isOpen = false;
const listeners = new Set<() => void>();

/** Called once the shell shows a member's page: from then on nothing typed may be lost. */
export function pageIsOpen(): void {
  isOpen = true;
}

/**
 * Waits until the member has signed in again, in a dialog over the page. Where there is no page yet, the sign-in page
 * takes its place.
 */
export function signedInAgain(): Promise<void> {
  if (!isOpen) {
    const here = `${location.pathname}${location.search}`;
    location.replace(`/sign-in?next=${encodeURIComponent(here)}`);
    return new Promise(() => undefined);
  }
  if (!ended) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    ended = { wait: promise, resolve: () => resolve(undefined) };
    tell();
  }
  return ended.wait;
}

/** Called by the dialog once there is a session again. */
export function resumeSession(): void {
  ended?.resolve();
  ended = null;
  tell();
}

export const sessionState = {
  hasEnded: (): boolean => ended !== null,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function tell(): void {
  for (const listener of listeners) listener();
}
