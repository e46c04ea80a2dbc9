import { invalidField, Problem } from '@postroom/contracts';
import { OutboundGuard, TargetRefused } from '@postroom/outbound';

/**
 * Judges the URL of a subscription before it is stored.
 * @throws Problem INVALID_REQUEST, in the same words whatever is wrong with the target
 */
export async function requireTarget(guard: OutboundGuard, url: string): Promise<void> {
  const { hostname, protocol, port } = new URL(url);
  const isTls = protocol === 'https:';
  try {
    const number = port === '' ? (isTls ? 443 : 80) : Number(port);
    const { isAllowListed } = await guard.check(hostname, number);
    if (!isTls && !isAllowListed) throw new TargetRefused();
  } catch (error) {
    if (error instanceof TargetRefused) throw refused(error);
    throw error;
  }
}

const refused = (cause: unknown): Problem =>
  new Problem('INVALID_REQUEST', {
    cause,
    violations: invalidField(
      'url',
      'URL https d’un hôte public attendue',
      'expected an https URL of a public host',
    ).violations,
  });
