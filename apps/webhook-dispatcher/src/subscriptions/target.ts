import { invalidField, Problem } from '@postroom/contracts';
import { OutboundGuard, portOf, TargetRefused } from '@postroom/outbound';

/**
 * Judges the URL of a subscription before it is stored.
 * @throws Problem INVALID_REQUEST, in the same words whatever is wrong with the target
 */
export async function requireTarget(guard: OutboundGuard, url: string): Promise<void> {
  const target = new URL(url);
  try {
    const { isAllowListed } = await guard.check(target.hostname, portOf(target));
    if (target.protocol !== 'https:' && !isAllowListed) throw new TargetRefused();
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
