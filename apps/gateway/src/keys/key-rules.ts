import { invalidField, type Approval, type KeyKind, type Scope } from '@postroom/contracts';

/** What of a key must fit together, at creation and at every change (public-api.md §5). */
export interface KeyRights {
  readonly kind: KeyKind;
  readonly approval: Approval | null;
  readonly scopes: readonly Scope[];
}

/**
 * @throws Problem INVALID_REQUEST: `mail:send` on an agent key, or an approval mode on a human one
 */
export function requireSoundRights({ kind, approval, scopes }: KeyRights): void {
  if (kind === 'agent' && scopes.includes('mail:send')) {
    const fr = 'mail:send ne peut pas être accordée à une clé d’agent';
    throw invalidField('scopes', fr, 'mail:send cannot be granted to an agent key');
  }
  if (kind === 'human' && approval === 'required') {
    const fr = 'l’approbation ne concerne que les clés d’agent';
    throw invalidField('approval', fr, 'approval is for agent keys only');
  }
}

/** A given end of life. @throws Problem INVALID_REQUEST when it is not in the future */
export function requireFuture(expiresAt: string | null, now: Date): Date | null {
  if (expiresAt === null) return null;
  const at = new Date(expiresAt);
  if (at <= now) {
    throw invalidField('expiresAt', 'date à venir attendue', 'expected a time in the future');
  }
  return at;
}
