import type { AuthVerdict, MessageAuth } from '@postroom/contracts';
import type { DKIMResult, DMARCResult } from 'mailauth';

/** The verdicts on a message that could not be checked, or not in time. */
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

/** A signature over a part of the body (`l=`) lets anyone append text: it is not accepted. */
export function checkedSignature(result: DKIMResult): CheckedSignature {
  const { status, signingDomain = '' } = result;
  const isPartial = (status.underSized ?? 0) > 0;
  const verdict = isPartial && status.result === 'pass' ? 'permerror' : verdictOf(status.result);
  return { verdict, domain: signingDomain.toLowerCase(), result };
}

/** Precedence of the verdicts of several signatures: one that verifies is enough, an undecided one may verify. */
const order: readonly AuthVerdict[] = ['pass', 'temperror', 'fail', 'permerror', 'neutral'];

export function dkimVerdict(signatures: readonly CheckedSignature[]): AuthVerdict {
  const verdicts = new Set(signatures.map(({ verdict }) => verdict));
  return order.find((verdict) => verdicts.has(verdict)) ?? 'none';
}

/** The facts that decide DMARC beside the policy. */
export interface Evidence {
  readonly headerFrom: readonly string[];
  readonly signatures: readonly CheckedSignature[];
  readonly spf: { readonly verdict: AuthVerdict; readonly domain: string };
}

/**
 * mailauth counts a failed look-up as a check that does not pass. The check may pass the next time, so the
 * message has not failed, if the look-up was for the author's domain: the silence of an unrelated name server
 * proves nothing.
 */
export function dmarcVerdict(result: DMARCResult | false, evidence: Evidence): AuthVerdict {
  if (!result) return 'permerror';
  const verdict = verdictOf(result.status.result);
  return verdict === 'fail' && mightHavePassed(evidence) ? 'temperror' : verdict;
}

/**
 * True where a signature or SPF passes for the author's own domain, or one above it, which its owner has: positive
 * evidence of who sent a message, whether or not the domain publishes a policy.
 */
export const isAligned = ({ headerFrom, signatures, spf }: Evidence): boolean =>
  headerFrom.length === 1 &&
  [...signatures, spf].some(({ verdict, domain }) => {
    const [from = ''] = headerFrom;
    const author = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
    return verdict === 'pass' && (domain === author || author.endsWith(`.${domain}`));
  });

function mightHavePassed({ headerFrom, signatures, spf }: Evidence): boolean {
  const [from = ''] = headerFrom;
  const author = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
  return [...signatures, spf].some(
    ({ verdict, domain }) => verdict === 'temperror' && areRelated(domain, author),
  );
}

const areRelated = (one: string, other: string): boolean =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
