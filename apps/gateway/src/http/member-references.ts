import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import { systemActor, type Operation, type Reference } from '@postroom/contracts';
import { UnitOfWork, type UnknownReferences } from '@postroom/operations';
import { statement, type Statement } from '@postroom/persistence';

const references: Readonly<Record<Reference, Statement<{ known: string }>>> = {
  memberIds: statement(
    'access.find_members',
    'SELECT id AS known FROM members WHERE tenant_id = $1 AND id = ANY($2)',
  ),
  activeMember: statement(
    'access.find_active_members',
    'SELECT email AS known FROM members WHERE tenant_id = $1 AND email = ANY($2) AND active',
  ),
  team: statement(
    'access.find_teams',
    'SELECT id AS known FROM teams WHERE tenant_id = $1 AND id = ANY($2)',
  ),
};

/**
 * Looks up the members and teams that an input names. The gateway does it for every service, since it
 * owns both.
 */
@Injectable()
export class MemberReferences {
  constructor(private readonly work: UnitOfWork) {}

  /** The names in an input that the workspace does not have, by field. */
  async unknownIn(
    { fields }: Operation,
    { tenantId, source }: Caller,
    input: object,
  ): Promise<UnknownReferences> {
    const unknown: Record<string, readonly string[]> = {};
    for (const { name, refersTo } of fields.body) {
      const named = refersTo ? namesIn(refersTo, Reflect.get(input, name)) : [];
      if (!refersTo || named.length === 0) continue;
      const origin = { tenantId, source, actor: systemActor } as const;
      const found = await this.work.run(origin, null, async ({ rows }) => ({
        value: await rows(references[refersTo], [named]),
      }));
      const known = new Set(found.map((row) => row.known));
      const missing = named.filter((one) => !known.has(one));
      if (missing.length > 0) unknown[name] = missing;
    }
    return unknown;
  }
}

/** The names in a value; the word `workspace` names no member. */
function namesIn(refersTo: Reference, value: unknown): readonly string[] {
  if (refersTo === 'memberIds') return Array.isArray(value) ? (value as string[]) : [];
  return typeof value === 'string' ? [value] : [];
}
