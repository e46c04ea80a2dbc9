import { Controller } from '@nestjs/common';
import { auditBacklog, type AuditBacklog, type CountAuditBacklog } from '@postroom/contracts';
import { Handles, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const count = statement<AuditBacklog>('audit.backlog', 'SELECT count_audit_backlog($1) AS waiting');

/** What the gateway asks when it verifies the audit. */
@Controller()
export class AuditHandlers {
  @Handles(auditBacklog.count)
  async count({ rows }: Reading, _input: CountAuditBacklog): Promise<AuditBacklog> {
    const [backlog] = await rows(count, []);
    return backlog ?? { waiting: 0 };
  }
}
