import type { Caller } from '@postroom/access';
import { Problem, type DlpFinding, type Violation } from '@postroom/contracts';
import type { Judgement } from '../dlp/index.js';
import type { SendRequest } from './send-request.js';
import type { Refusal } from './verdict.js';

const problemOfKind = {
  unavailable: 'OUTGOING_UNAVAILABLE',
  recipients: 'RECIPIENTS_REFUSED',
  message: 'MESSAGE_REFUSED',
  mailbox: 'OUTGOING_REFUSED',
} as const;

type Recipients = Pick<SendRequest, 'to' | 'cc' | 'bcc'>;

/** Nothing changes until the settings are corrected, so a retry every two seconds is pointless. */
const settingsRetrySeconds = '600';

/** The problem of a certain failure: the key is free, so there is no `outcomeUnknown`. */
export const refusedProblem = ({ kind, reason }: Refusal, recipients: Recipients): Problem =>
  new Problem(problemOfKind[kind], {
    cause: new Error(reason),
    ...(kind === 'recipients' && { violations: faultsOf(recipients) }),
    ...(kind === 'mailbox' && { headers: { 'retry-after': settingsRetrySeconds } }),
  });

const faultsOf = (recipients: Recipients): readonly Violation[] =>
  (['to', 'cc', 'bcc'] as const)
    .filter((field) => recipients[field].length > 0)
    .map((field) => ({ field, message: refusedThere }));

const refusedThere = {
  fr: 'adresses refusées par le serveur de messagerie',
  en: 'addresses that the mail server refuses',
};

/** The API key has sent as often in the last minute as it may; its gateway did not know of all. */
export const limitedProblem = (waitSeconds: number): Problem =>
  new Problem('RATE_LIMITED', {
    headers: {
      'retry-after': String(waitSeconds),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(waitSeconds),
    },
  });

const outcome = (word: 'key-reused' | 'key-unverifiable' | 'duplicate-suppressed') => ({
  'x-svc-idempotency': word,
});

export const reusedProblem = (): Problem =>
  new Problem('IDEMPOTENCY_KEY_REUSED', {
    headers: outcome('key-reused'),
    fields: { code: 'IDEMPOTENCY_KEY_REUSED', idempotencyKeyReused: true },
  });

export const unverifiableProblem = (): Problem =>
  new Problem('IDEMPOTENCY_KEY_UNVERIFIABLE', {
    headers: outcome('key-unverifiable'),
    fields: { code: 'IDEMPOTENCY_KEY_UNVERIFIABLE', idempotencyKeyUnverifiable: true },
  });

/** @param outcomeUnknown whether no process works on the other send any more, and it may have left */
export const duplicateProblem = (outcomeUnknown: boolean): Problem =>
  new Problem('SEND_DUPLICATE', {
    headers: outcome('duplicate-suppressed'),
    fields: { duplicate: true, outcomeUnknown },
  });

/** A DLP rule warns, or a recipient is suppressed; with the token the message is sent all the same. */
export const warnedProblem = (
  dlpWarningToken: string,
  caller: Caller,
  judgement: Judgement,
): Problem =>
  new Problem('DLP_WARNING', {
    fields: {
      ...{ dlpStatus: 'warning_required', dlpWarningToken, ...findingsFor(caller, judgement) },
      ...(judgement.suppressed.length > 0 && { suppressed: judgement.suppressed }),
    },
  });

/** A DLP rule lets the message leave by no means. */
export const blockedProblem = (caller: Caller, judgement: Judgement): Problem =>
  new Problem('DLP_BLOCKED', { fields: findingsFor(caller, judgement) });

/** The finds, for a person to mend: integrations and agents are told of no rule. */
function findingsFor({ type }: Caller, { hits }: Judgement): { findings?: DlpFinding[] } {
  if (type !== 'member') return {};
  const findings = hits.map(({ name, where, excerpt }) => ({ rule: name, place: where, excerpt }));
  return { findings };
}

/** The message may have left. */
export const unknownProblem = (): Problem =>
  new Problem('SEND_OUTCOME_UNKNOWN', { fields: { outcomeUnknown: true } });

/** The message has left, but that could not be recorded. */
export const unconfirmedProblem = (): Problem =>
  new Problem('SERVICE_UNAVAILABLE', { fields: { outcomeUnknown: true } });
