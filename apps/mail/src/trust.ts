import type { MessageAuth, MessageTrust, TrustReason } from '@postroom/contracts';
import type { Suspicion } from '@postroom/mime';

/** The trust of a message without any sign against it, such as our own messages. */
export const ordinary: MessageTrust = { level: 'ordinary', reasons: [] };

/** Computes how far a message is trusted, from its content and from the authentication of its sender. */
export function trustOf(suspicions: readonly Suspicion[], auth: MessageAuth): MessageTrust {
  const reasons = [...authReasons(auth), ...suspicions];
  return { level: levelOf(reasons), reasons };
}

/**
 * A sender that could not be authenticated is worth caution, as any one sign is; two signs are not an
 * accident, and instructions to an assistant are not written into a mail by accident. A sender that names
 * no policy is common: it counts for nothing more where there is another sign.
 */
function levelOf(reasons: readonly TrustReason[]): MessageTrust['level'] {
  const signs = reasons.filter((reason) => reason !== 'auth_missing');
  if (signs.includes('instructions') || signs.length > 1) return 'hostile';
  return reasons.length > 0 ? 'caution' : 'ordinary';
}

/** Verdicts of null mean that the sender was not checked: no reason follows from them. */
function authReasons({ spf, dkim, dmarc }: MessageAuth): TrustReason[] {
  // RFC 9989 §11.5: two authors, or none, cannot be authenticated, and readers see one.
  if (dmarc === 'fail' || dmarc === 'permerror' || (spf === 'fail' && dkim !== 'pass'))
    return ['auth_failed'];
  const verdicts = [spf, dkim, dmarc];
  return verdicts.every((verdict) => verdict === 'none') ? ['auth_missing'] : [];
}
