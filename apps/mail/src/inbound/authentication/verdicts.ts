import type { AuthVerdict, MessageAuth } from '@postroom/contracts';
import type { DKIMResult, DMARCResult } from 'mailauth';

/** Of a message that could not be checked, or not in time. */
export const undecided: MessageAuth = { spf: 'temperror', dkim: 'temperror', dmarc: 'temperror' };

const known: ReadonlyMap<string, AuthVerdict> = new Map([
  ['pass', 'pass'],
  ['fail', 'fail'],
  ['softfail', 'softfail'],
  ['neutral', 'neutral'],
  ['none', 'none'],
  ['temperror', 'temperror'],
  // RFC 8301 §3: a signature that is not to be considered, by its key or its algorithm.
  ['policy', 'permerror'],
  ['permerror', 'permerror'],
]);

/** A verdict of mailauth, as the contract has it. */
export const verdictOf = (result: string): AuthVerdict => known.get(result) ?? 'temperror';

/** One signature of a message. */
export interface CheckedSignature {
  readonly verdict: AuthVerdict;
  readonly domain: string;
  readonly result: DKIMResult;
}

/** A signature that leaves some of the body open (`l=`) covers what anybody adds: it is not accepted. */
export function checkedSignature(result: DKIMResult): CheckedSignature {
  const { status, signingDomain = '' } = result;
  const isPartial = (status.underSized ?? 0) > 0;
  const verdict = isPartial && status.result === 'pass' ? 'permerror' : verdictOf(status.result);
  return { verdict, domain: signingDomain.toLowerCase(), result };
}

/** What several signatures say together: one that verifies is enough, and an unknown one may verify. */
const order: readonly AuthVerdict[] = ['pass', 'temperror', 'fail', 'permerror', 'neutral'];

export function dkimVerdict(signatures: readonly CheckedSignature[]): AuthVerdict {
  const verdicts = new Set(signatures.map(({ verdict }) => verdict));
  return order.find((verdict) => verdicts.has(verdict)) ?? 'none';
}

/** What DMARC is decided by, beside the policy. */
export interface Evidence {
  readonly headerFrom: readonly string[];
  readonly signatures: readonly CheckedSignature[];
  readonly spf: { readonly verdict: AuthVerdict; readonly domain: string };
}

/**
 * mailauth takes what could not be looked up for what does not pass. It may pass the next time, so the
 * message did not fail, if the domain that was asked for is the author's: what a stranger's name server
 * does not answer says nothing.
 */
export function dmarcVerdict(result: DMARCResult | false, evidence: Evidence): AuthVerdict {
  if (!result) return 'permerror';
  const verdict = verdictOf(result.status.result);
  return verdict === 'fail' && mightHavePassed(evidence) ? 'temperror' : verdict;
}

function mightHavePassed({ headerFrom, signatures, spf }: Evidence): boolean {
  const [from = ''] = headerFrom;
  const author = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
  return [...signatures, spf].some(
    ({ verdict, domain }) => verdict === 'temperror' && areRelated(domain, author),
  );
}

const areRelated = (one: string, other: string): boolean =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
