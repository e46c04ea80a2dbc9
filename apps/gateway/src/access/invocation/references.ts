import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import { referencesOf, systemActor, type Operation, type Reference } from '@postroom/contracts';
import { UnitOfWork, type UnknownReferences } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { Visibility } from '../visibility.js';

const findReferences = statement<{ kind: Reference; known: string }>(
  'access.find_references',
  `SELECT 'memberIds' AS kind, id AS known FROM members
     WHERE tenant_id = $1 AND id = ANY($2)
   UNION ALL SELECT 'activeMember', email FROM members
     WHERE tenant_id = $1 AND email = ANY($3) AND active
   UNION ALL SELECT 'team', id FROM teams WHERE tenant_id = $1 AND id = ANY($4)`,
);

/**
 * Looks up what an input names. The gateway does it for every service: members and teams are its own, and
 * mail answers which conversations the caller may read.
 */
@Injectable()
export class References {
  constructor(
    private readonly work: UnitOfWork,
    private readonly visibility: Visibility,
  ) {}

  /**
   * The names in an input that the workspace does not have, or the caller does not see, by the path of their field.
   * @throws Problem SERVICE_UNAVAILABLE
   */
  async unknownIn(
    { fields }: Operation,
    caller: Caller,
    input: object,
    requestId: string,
  ): Promise<UnknownReferences> {
    const named = referencesOf(fields.body).flatMap(({ field, refersTo }) =>
      namesIn(refersTo, valueAt(input, field)).map((name) => ({ field, refersTo, name })),
    );
    if (named.length === 0) return {};
    const of = (kind: Reference) =>
      named.filter(({ refersTo }) => refersTo === kind).map(({ name }) => name);
    const withinType = 'conversation' as const;
    const conversations = of(withinType).map((withinId) => ({ withinType, withinId }));
    const [own, seen] = await Promise.all([
      conversations.length < named.length
        ? this.own(caller, [of('memberIds'), of('activeMember'), of('team')])
        : [],
      this.visibility.shownByOwners({ caller, requestId }, conversations),
    ]);
    const known = new Set([
      ...own.map((one) => `${one.kind} ${one.known}`),
      ...seen.map(({ withinId }) => `conversation ${withinId}`),
    ]);
    const missing = named.filter(({ refersTo, name }) => !known.has(`${refersTo} ${name}`));
    const byField = Map.groupBy(missing, ({ field }) => field);
    return Object.fromEntries(
      [...byField].map(([field, all]) => [field, all.map(({ name }) => name)]),
    );
  }

  private own(
    { tenantId, source }: Caller,
    names: readonly (readonly string[])[],
  ): Promise<readonly { readonly kind: Reference; readonly known: string }[]> {
    const origin = { tenantId, source, actor: systemActor } as const;
    return this.work.change(origin, null, async ({ rows }) => ({
      value: await rows(findReferences, names),
    }));
  }
}

/** The value at a dotted path; undefined where there is none. */
const valueAt = (input: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value ? Reflect.get(value, name) : undefined),
      input,
    );

/** The names in a value; the word `workspace` names no member. */
function namesIn(refersTo: Reference, value: unknown): readonly string[] {
  if (refersTo === 'memberIds') {
    const named = Array.isArray(value) ? (value as (string | { readonly member: string })[]) : [];
    return named.map((one) => (typeof one === 'string' ? one : one.member));
  }
  return typeof value === 'string' ? [value] : [];
}
