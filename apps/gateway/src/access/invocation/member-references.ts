import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import { systemActor, type Operation, type Reference } from '@postroom/contracts';
import { UnitOfWork, type UnknownReferences } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const findReferences = statement<{ kind: Reference; known: string }>(
  'access.find_references',
  `SELECT 'memberIds' AS kind, id AS known FROM members
     WHERE tenant_id = $1 AND id = ANY($2)
   UNION ALL SELECT 'activeMember', email FROM members
     WHERE tenant_id = $1 AND email = ANY($3) AND active
   UNION ALL SELECT 'team', id FROM teams WHERE tenant_id = $1 AND id = ANY($4)`,
);

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
    const named = fields.body.flatMap(({ name: field, refersTo }) =>
      refersTo
        ? namesIn(refersTo, Reflect.get(input, field)).map((name) => ({ field, refersTo, name }))
        : [],
    );
    if (named.length === 0) return {};
    const of = (kind: Reference) =>
      named.filter(({ refersTo }) => refersTo === kind).map(({ name }) => name);
    const origin = { tenantId, source, actor: systemActor } as const;
    const found = await this.work.change(origin, null, async ({ rows }) => ({
      value: await rows(findReferences, [of('memberIds'), of('activeMember'), of('team')]),
    }));
    const known = new Set(found.map((one) => `${one.kind} ${one.known}`));
    const missing = named.filter(({ refersTo, name }) => !known.has(`${refersTo} ${name}`));
    const byField = Map.groupBy(missing, ({ field }) => field);
    return Object.fromEntries(
      [...byField].map(([field, all]) => [field, all.map(({ name }) => name)]),
    );
  }
}

/** The names in a value; the word `workspace` names no member. */
function namesIn(refersTo: Reference, value: unknown): readonly string[] {
  if (refersTo === 'memberIds') {
    const named = Array.isArray(value) ? (value as (string | { readonly member: string })[]) : [];
    return named.map((one) => (typeof one === 'string' ? one : one.member));
  }
  return typeof value === 'string' ? [value] : [];
}
