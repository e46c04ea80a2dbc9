import type { Mailbox, MailboxAnswer, UpdateMailbox } from '@postroom/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { tellDone } from '../../ui/notices.js';
import { mailboxesQuery } from '../queries.js';

/** Changes a mailbox from the version that is shown. */
export function useChange(mailbox: Mailbox): (change: Omit<UpdateMailbox, 'id'>) => Promise<void> {
  const client = useQueryClient();
  const [idempotencyKey] = useState(newIdempotencyKey);
  return async (change) => {
    const options = { idempotencyKey, ifMatch: mailbox.version };
    await api.patch<MailboxAnswer>(`/mailboxes/${mailbox.id}`, change, options);
    await client.invalidateQueries({ queryKey: mailboxesQuery.queryKey });
    void client.invalidateQueries({ queryKey: ['account'] });
    tellDone('The mailbox is changed.');
  };
}
