import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DraftSession } from './draft-session.js';
import { tellLeaving, tellScheduled } from './send-notices.js';
import { sendSession, type Finding, type Outcome, type SendOptions } from './send-session.js';
import { tellDone } from '../ui/notices.js';

/** Findings of data-loss prevention in a message that was to leave. */
export interface Found {
  readonly findings: readonly Finding[];
  /** Confirms it; null where nothing does. */
  readonly token: string | null;
  readonly options: SendOptions;
}

export interface SendingState {
  readonly found: Found | null;
  readonly error: unknown;
  readonly send: (options: SendOptions) => void;
  readonly forget: () => void;
}

/** Sends what is written, and shows what became of it. */
export function useSending(session: DraftSession, onSent: () => void): SendingState {
  const client = useQueryClient();
  const [found, setFound] = useState<Found | null>(null);
  const [error, setError] = useState<unknown>(null);
  const finish = (outcome: Outcome, options: SendOptions): void => {
    if (outcome.kind === 'warning') {
      setFound({ findings: outcome.findings, token: outcome.token, options });
    } else if (outcome.kind === 'blocked') {
      setFound({ findings: outcome.findings, token: null, options });
    } else if (outcome.kind === 'refused') setError(outcome.error);
    else if (outcome.kind === 'scheduled' || outcome.kind === 'sent') {
      void client.invalidateQueries({ queryKey: ['drafts'] });
      session.end();
      onSent();
      if (outcome.kind === 'sent') tellDone('Sent.');
      else if (options.at === undefined) tellLeaving(outcome.draft);
      else tellScheduled(outcome.draft);
    }
  };
  const send = (options: SendOptions): void => {
    setError(null);
    setFound(null);
    void sendSession(session, asked(session, options)).then((outcome) => finish(outcome, options));
  };
  return { found, error, send, forget: () => setFound(null) };
}

/** One that a rule has stopped at its time is asked about at once, to show what was found. */
function asked(session: DraftSession, options: SendOptions): SendOptions {
  const { failure } = session.get();
  const isStopped = failure === 'DLP_WARNING' || failure === 'DLP_BLOCKED';
  return isStopped && options.token === undefined && !session.isDirty()
    ? { ...options, at: 'now' }
    : options;
}
