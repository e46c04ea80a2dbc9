import { invalidField, type Approval, type KeyKind, type Scope } from '@postroom/contracts';

/** @throws Problem INVALID_REQUEST: `mail:send` for an agent (public-api.md §5.8) */
export function requireSoundScopes(kind: KeyKind, scopes: readonly Scope[] = []): void {
  if (kind === 'agent' && scopes.includes('mail:send')) {
    const fr = 'mail:send ne peut pas être accordée à une clé d’agent';
    throw invalidField('scopes', fr, 'mail:send cannot be granted to an agent key');
  }
}

/**
 * The approval mode of a key: required for agents unless given, none for others.
 * @throws Problem INVALID_REQUEST: approval for a human key
 */
export function approvalOf(kind: KeyKind, given: Approval | null | undefined): Approval | null {
  if (kind === 'agent') return given ?? 'required';
  if (given === 'required') {
    const fr = 'l’approbation ne concerne que les clés d’agent';
    throw invalidField('approval', fr, 'approval is for agent keys only');
  }
  return null;
}

/** The given expiry. @throws Problem INVALID_REQUEST when it is past, unless it is the one before */
export function requireFuture(
  expiresAt: string | null | undefined,
  now: Date,
  before: Date | null = null,
): Date | null {
  if (expiresAt === null || expiresAt === undefined) return null;
  const at = new Date(expiresAt);
  if (at <= now && at.getTime() !== before?.getTime()) {
    throw invalidField('expiresAt', 'date à venir attendue', 'expected a time in the future');
  }
  return at;
}
