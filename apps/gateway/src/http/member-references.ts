import { Injectable } from '@nestjs/common';
import type { Caller } from '@postroom/access';
import { Problem, type Row, type Violation } from '@postroom/contracts';
import { UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const findMembers = statement<{ id: string }>(
  'access.find_members',
  'SELECT id FROM members WHERE tenant_id = $1 AND id = ANY($2)',
);

const unknownMember = { fr: 'membre inconnu', en: 'there is no such member' };

/**
 * Members that an input names are the workspace's own. Judged here for every service: the gateway
 * alone knows the members.
 */
@Injectable()
export class MemberReferences {
  constructor(private readonly work: UnitOfWork) {}

  /** @throws Problem INVALID_REQUEST */
  async check({ fields }: Row, { tenantId, source }: Caller, input: object): Promise<void> {
    const violations: Violation[] = [];
    for (const { name } of fields.body.filter((field) => field.namesMembers)) {
      const ids: unknown = Reflect.get(input, name);
      if (!Array.isArray(ids) || ids.length === 0) continue;
      const origin = { tenantId, source, actor: { type: 'system', id: null } } as const;
      const known = await this.work.run(origin, null, async ({ rows }) => ({
        value: await rows(findMembers, [ids]),
      }));
      if (known.length < ids.length) violations.push({ field: name, message: unknownMember });
    }
    if (violations.length > 0) throw new Problem('INVALID_REQUEST', { violations });
  }
}
