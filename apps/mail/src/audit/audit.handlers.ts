import { auditBacklog, type AuditBacklog } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const count = statement<AuditBacklog>('audit.backlog', 'SELECT count_audit_backlog($1) AS waiting');

/** What the gateway asks when it verifies the audit. */
export const AuditHandlers = handlers(auditBacklog, {
  count: async ({ rows }) => {
    const [backlog] = await rows(count, []);
    return backlog ?? { waiting: 0 };
  },
});
