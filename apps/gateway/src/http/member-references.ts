import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import {
  Problem,
  type Reference,
  type Row,
  type Violation,
  type Wording,
} from '@postroom/contracts';
import { UnitOfWork } from '@postroom/operations';
import { statement, type Statement } from '@postroom/persistence';

interface Known {
  readonly find: Statement<{ known: string }>;
  /** What is said of one that is not known. */
  readonly message: Wording;
}

const references: Readonly<Record<Reference, Known>> = {
  memberIds: {
    find: statement(
      'access.find_members',
      'SELECT id AS known FROM members WHERE tenant_id = $1 AND id = ANY($2)',
    ),
    message: { fr: 'membre inconnu', en: 'there is no such member' },
  },
  activeMember: {
    find: statement(
      'access.find_active_members',
      'SELECT email AS known FROM members WHERE tenant_id = $1 AND email = ANY($2) AND active',
    ),
    message: { fr: 'membre inconnu ou inactif', en: 'there is no such active member' },
  },
  team: {
    find: statement(
      'access.find_teams',
      'SELECT id AS known FROM teams WHERE tenant_id = $1 AND id = ANY($2)',
    ),
    message: { fr: 'équipe inconnue', en: 'there is no such team' },
  },
};

/**
 * Members and teams that an input names are the workspace's own. Judged here for every service: the
 * gateway alone knows them.
 */
@Injectable()
export class MemberReferences {
  constructor(private readonly work: UnitOfWork) {}

  /** @throws Problem INVALID_REQUEST */
  async check({ fields }: Row, { tenantId, source }: Caller, input: object): Promise<void> {
    const violations: Violation[] = [];
    for (const { name, refersTo } of fields.body) {
      const named = refersTo ? namesIn(refersTo, Reflect.get(input, name)) : [];
      if (!refersTo || named.length === 0) continue;
      const { find, message } = references[refersTo];
      const origin = { tenantId, source, actor: { type: 'system', id: null } } as const;
      const known = await this.work.run(origin, null, async ({ rows }) => ({
        value: await rows(find, [named]),
      }));
      if (known.length < named.length) violations.push({ field: name, message });
    }
    if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
  }
}

/** What a value names; the word `workspace` names no member. */
function namesIn(refersTo: Reference, value: unknown): readonly unknown[] {
  if (refersTo === 'memberIds') return Array.isArray(value) ? (value as unknown[]) : [];
  return typeof value === 'string' ? [value] : [];
}
