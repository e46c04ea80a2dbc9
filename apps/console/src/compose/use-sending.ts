import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DraftSession } from './draft-session.js';
import { tellLeaving, tellScheduled } from './send-notices.js';
import { sendSession, type Objections, type Outcome, type SendOptions } from './send-session.js';
import { tellDone } from '../ui/notices.js';

/** The reasons for which a message that was to leave is held back. */
export interface HeldSending extends Objections {
  /** Confirms it; null where nothing does. */
  readonly token: string | null;
  readonly options: SendOptions;
}

export interface SendingState {
  readonly found: HeldSending | null;
  readonly error: unknown;
  readonly send: (options: SendOptions) => void;
  readonly forget: () => void;
}

/** Sends what is written, and shows what became of it. */
export function useSending(session: DraftSession, onSent: () => void): SendingState {
  const client = useQueryClient();
  const [found, setFound] = useState<HeldSending | null>(null);
  const [error, setError] = useState<unknown>(null);
  const finish = (outcome: Outcome, options: SendOptions): void => {
    if (outcome.kind === 'warning') setFound({ ...outcome, options });
    else if (outcome.kind === 'blocked') setFound({ ...outcome, token: null, options });
    else if (outcome.kind === 'refused') setError(outcome.error);
    else if (outcome.kind === 'scheduled' || outcome.kind === 'sent') {
      void client.invalidateQueries({ queryKey: ['drafts'] });
      session.close();
      onSent();
      if (outcome.kind === 'sent') tellDone('Sent.');
      else if (options.at === undefined) tellLeaving(outcome.draft);
      else tellScheduled(outcome.draft);
    }
  };
  const send = (options: SendOptions): void => {
    setError(null);
    setFound(null);
    void sendSession(session, options).then((outcome) => finish(outcome, options));
  };
  return { found, error, send, forget: () => setFound(null) };
}
