import { hasUnsavedText } from './unsaved.js';

/** The build that was loaded anew. */
const reloadedKey = 'reloaded-for';
const listeners = new Set<() => void>();
let isWaiting = false;

/**
 * After an upgrade the server has no chunks of the page that is open: on the way to another page it is loaded anew,
 * once, unless the reader would lose what it wrote. Else a bar says so, and the reader chooses when.
 */
export function reloadAfterUpgrade(isOnTheWay: () => boolean): void {
  addEventListener('vite:preloadError', (event) => {
    // The router would load the page anew whatever is written on it.
    event.preventDefault();
    const wasReloaded = sessionStorage.getItem(reloadedKey) === import.meta.url;
    if (isOnTheWay() && !hasUnsavedText() && !wasReloaded) {
      sessionStorage.setItem(reloadedKey, import.meta.url);
      location.reload();
      return;
    }
    isWaiting = true;
    for (const listener of listeners) listener();
  });
}

export const upgradeState = {
  isWaiting: (): boolean => isWaiting,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
