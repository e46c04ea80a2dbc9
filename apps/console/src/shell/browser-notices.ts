import type { Account } from '@postroom/contracts';
import { useEffect, useRef } from 'react';
import waitingUrl from './icon-waiting.svg';
import iconUrl from './icon.svg';

type NoticeState = 'on' | 'off' | 'denied' | 'missing';

const key = 'browser-notices';

/** Notifications of the browser, of which the member is asked only when wanting them. */
export const browserNotices = {
  state: (): NoticeState => {
    if (!('Notification' in window)) return 'missing';
    if (Notification.permission === 'denied') return 'denied';
    const isOn = Notification.permission === 'granted' && localStorage.getItem(key) === 'on';
    return isOn ? 'on' : 'off';
  },
  turnOn: async (): Promise<NoticeState> => {
    if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(key, 'on');
    return browserNotices.state();
  },
  turnOff: (): NoticeState => {
    localStorage.removeItem(key);
    return browserNotices.state();
  },
};

/** Notifies the member of approvals and of assigned mail while the page is hidden. */
export function useBrowserNotices({ counts, member }: Account): void {
  const before = useRef<{ readonly approvals: number; readonly mine: number } | null>(null);
  const { approvals, mine } = counts;
  useEffect(() => {
    const last = before.current;
    before.current = { approvals, mine };
    if (!last || document.visibilityState === 'visible' || browserNotices.state() !== 'on') return;
    if (member.canApprove && approvals > last.approvals)
      tell('approvals', 'An approval waits', waiting(approvals), '/approvals');
    if (mine > last.mine) tell('mine', 'Mail was assigned to you', assigned(mine), '/inbox');
  }, [approvals, mine, member.canApprove]);
}

const waiting = (count: number): string =>
  count === 1 ? 'One request waits for a decision.' : `${count} requests wait for a decision.`;

const assigned = (count: number): string =>
  count === 1 ? 'You have one conversation.' : `You have ${count} conversations.`;

/** With a tag, so that several tabs show one. */
function tell(tag: string, title: string, body: string, path: string): void {
  const shown = new Notification(title, { body, tag: `postroom-${tag}` });
  shown.addEventListener('click', () => {
    window.focus();
    location.assign(path);
  });
}

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
