import type { ApprovalRequest } from '@postroom/contracts';
import { useEffect } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { mailboxOf } from './request/headline.js';

/** A presence is over after 30 seconds unless it is told again. */
const againMs = 20_000;

/** Shows the colleagues that the member looks at a request, for as long as it is shown and open. */
export function useTellLooking(approval: ApprovalRequest, isTold: boolean): void {
  const { mailboxes } = useAccount();
  const { id } = approval;
  const mailbox = mailboxOf(approval) ?? mailboxes[0]?.address;
  useEffect(() => {
    if (!isTold || mailbox === undefined) return undefined;
    const tell = (state: 'viewing' | 'gone'): void => {
      // It is sent again soon, so a failure is ignored.
      api.post('/presence', { approvalId: id, mailbox, state }).catch(() => undefined);
    };
    const say = (): void => {
      if (document.visibilityState === 'visible') tell('viewing');
    };
    say();
    const timer = setInterval(say, againMs);
    return () => {
      clearInterval(timer);
      tell('gone');
    };
  }, [id, mailbox, isTold]);
}
