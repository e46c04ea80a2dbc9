import { Injectable } from '@nestjs/common';
import {
  invalidField,
  mailboxes,
  Problem,
  type Approval,
  type KeyKind,
  type MailboxAccess,
  type MailboxGrant,
  type MailboxList,
  type Scope,
} from '@postroom/contracts';
import { OperationClient, type Reading } from '@postroom/operations';

/** Checks the mailboxes of grants with the mail service, which owns them. */
@Injectable()
export class MailboxGrants {
  constructor(private readonly operations: OperationClient) {}

  /** @throws Problem INVALID_REQUEST when a mailbox is not one of the workspace's */
  async check(
    { caller, requestId }: Reading,
    given: readonly MailboxGrant[],
  ): Promise<Record<string, MailboxAccess>> {
    if (given.length === 0) return {};
    const answer = await this.operations.call(mailboxes.list, caller, {}, { requestId });
    if (answer.problem !== null) throw new Problem('SERVICE_UNAVAILABLE');
    const { items } = JSON.parse(answer.body.toString()) as MailboxList;
    const addresses = given.map(({ address }) => address);
    const twice = addresses.findIndex((address, i) => addresses.indexOf(address) < i);
    if (twice >= 0) {
      const field = `mailboxes.${twice}.address`;
      throw invalidField(field, 'boîte donnée deux fois', 'this mailbox is given twice');
    }
    const known = new Set(items.map(({ address }) => address));
    const unknown = given.findIndex(({ address }) => !known.has(address));
    if (unknown >= 0) {
      const field = `mailboxes.${unknown}.address`;
      throw invalidField(field, 'boîte inconnue', 'there is no such mailbox', 'UNKNOWN_VALUE');
    }
    return Object.fromEntries(given.map(({ address, access }) => [address, access]));
  }
}

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
