import { useEffect } from 'react';
import iconUrl from './icon.svg';
import waitingUrl from './icon-waiting.svg';

const markPattern = /^\(\d+\+?\) /;

/** Shows in the title and the icon of the tab how much waits for the member. */
export function useWaitingMark(count: number): void {
  useEffect(() => {
    const mark = count === 0 ? '' : `(${count > 99 ? '99+' : count}) `;
    const write = (): void => {
      const marked = mark + document.title.replace(markPattern, '');
      if (document.title !== marked) document.title = marked;
    };
    write();
    document
      .querySelector('link[rel="icon"]')
      ?.setAttribute('href', count === 0 ? iconUrl : waitingUrl);
    const title = document.querySelector('title');
    if (!title) return undefined;
    // Each page writes a title of its own.
    const observer = new MutationObserver(write);
    observer.observe(title, { childList: true });
    return () => observer.disconnect();
  }, [count]);
}
