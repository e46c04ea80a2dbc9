import type { MessageAuth, MessageTrust, TrustReason } from '@postroom/contracts';
import type { Suspicion } from '@postroom/mime';

/** Of what nothing speaks against: our own messages among it. */
export const ordinary: MessageTrust = { level: 'ordinary', reasons: [] };

/** How far a message is to be trusted, by what it shows itself and by how its sender was authenticated. */
export function trustOf(suspicions: readonly Suspicion[], auth: MessageAuth): MessageTrust {
  const reasons = [...authReasons(auth), ...suspicions];
  return { level: levelOf(reasons), reasons };
}

/**
 * A sender that could not be authenticated is worth caution, as any one sign is; two signs are not an
 * accident, and nobody speaks to an assistant in somebody else's mail by accident. A sender that names
 * no policy is common: it counts for nothing more where there is another sign.
 */
function levelOf(reasons: readonly TrustReason[]): MessageTrust['level'] {
  const signs = reasons.filter((reason) => reason !== 'auth_missing');
  if (signs.includes('instructions') || signs.length > 1) return 'hostile';
  return reasons.length > 0 ? 'caution' : 'ordinary';
}

/** While verdicts are null nobody has looked, and nothing is said. */
function authReasons({ spf, dkim, dmarc }: MessageAuth): TrustReason[] {
  // RFC 9989 §11.5: of two authors, or none, nothing can be authenticated, and readers see one.
  if (dmarc === 'fail' || dmarc === 'permerror' || (spf === 'fail' && dkim !== 'pass'))
    return ['auth_failed'];
  const verdicts = [spf, dkim, dmarc];
  return verdicts.every((verdict) => verdict === 'none') ? ['auth_missing'] : [];
}
