import { agents, type AgentDay } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { periodOf, readClock } from '../analytics/index.js';

const rowsMax = 5_000;

const agentDays = statement<AgentDay>(
  'access.agent_days',
  `SELECT key_id AS "keyId", name, operation, to_char(day, 'YYYY-MM-DD') AS day, filed, approved,
     rejected, expired, refused, failed, executed, median_ms AS "medianDecisionMs"
   FROM agent_days($1, $2, $3, $4, $5)`,
);

/** What agents ask for, and what people think of it. */
export const AgentsHandlers = handlers(agents, {
  list: async (context, input) => {
    const [clock] = await context.rows(readClock, []);
    if (!clock) throw new Error(`no workspace ${context.tenantId}`);
    const { from, to, timeZone } = periodOf(input, clock);
    const found = await context.rows(agentDays, [timeZone, from, to, rowsMax + 1]);
    const isMore = found.length > rowsMax;
    return { items: found.slice(0, rowsMax), truncated: isMore, nextPageToken: null };
  },
});
