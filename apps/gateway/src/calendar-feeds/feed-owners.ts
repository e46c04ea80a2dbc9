import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const findActive = statement<object>(
  'access.find_active_member',
  'SELECT FROM members WHERE tenant_id = $1 AND id = $2 AND active',
);

/** Whose calendar a feed shows: the gateway knows the members. */
@Injectable()
export class FeedOwners {
  constructor(private readonly work: UnitOfWork) {}

  /** Whether a member is there, and not deactivated. */
  async isActive(tenantId: string, memberId: string): Promise<boolean> {
    const found = await this.work.readOnly({ tenantId }, ({ rows }) =>
      rows(findActive, [memberId]),
    );
    return found.length > 0;
  }
}
