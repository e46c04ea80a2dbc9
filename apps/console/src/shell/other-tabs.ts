import type { SessionAnswer } from '@postroom/contracts';
import { useEffect } from 'react';
import { urlOf } from '../api/api.js';
import { resume, sessionState, signedInAgain } from '../api/session.js';

const channelName = 'postroom-session';

/** Sends the signed-in member to the other tabs. */
export function tellOtherTabs(memberId: string): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(memberId);
  channel.close();
}

/**
 * Follows what other tabs and windows do with the session: where the member has signed in there, this page goes on;
 * where another member has, it stops until that is settled.
 * @param onOther called with the member who has signed in instead
 */
export function useOtherTabs(
  memberId: string,
  onOther: (member: SessionAnswer['member']) => void,
): void {
  useEffect(() => {
    const look = async (): Promise<void> => {
      if (sessionState.need() !== 'sign-in') return;
      const member = await signedInMember();
      if (member?.id === memberId) resume('sign-in');
      else if (member) onOther(member);
    };
    const onMessage = ({ data }: MessageEvent<string>): void => {
      if (data !== memberId) void signedInAgain();
      void look();
    };
    const channel = new BroadcastChannel(channelName);
    channel.addEventListener('message', onMessage);
    const onFocus = (): void => void look();
    addEventListener('focus', onFocus);
    return () => {
      channel.close();
      removeEventListener('focus', onFocus);
    };
  }, [memberId, onOther]);
}

async function signedInMember(): Promise<SessionAnswer['member'] | null> {
  try {
    const response = await fetch(urlOf('/session'));
    return response.ok ? ((await response.json()) as SessionAnswer).member : null;
  } catch {
    return null;
  }
}
