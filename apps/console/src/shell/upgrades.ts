import { hasUnsavedText } from './unsaved.js';

/**
 * After an upgrade the server has no chunks of the page that is open: it is loaded anew, once, unless the reader
 * would lose what it wrote.
 */
export function reloadAfterUpgrade(): void {
  addEventListener('vite:preloadError', (event) => {
    if (hasUnsavedText() || sessionStorage.getItem(reloadedKey) === location.href) return;
    event.preventDefault();
    sessionStorage.setItem(reloadedKey, location.href);
    location.reload();
  });
}

const reloadedKey = 'reloaded-for';
