import { Count, Day, Id, Text } from './fields/index.js';
import { PageOf } from './answers.js';
import { family, operation } from './operation.js';

const many = { max: Number.MAX_SAFE_INTEGER };

/** Input of the figures. */
export class ListAgents {
  @Day('First day, in the workspace’s time zone; 29 days before the last one when absent.', {
    optional: true,
  })
  from?: string;

  @Day('Last day, included; today when absent.', { optional: true })
  to?: string;
}

/** Outcomes of the writes of one operation that an agent key filed on one day. */
export class AgentDay {
  @Id('key', 'The key.')
  keyId!: string;

  @Text('Its name.', { max: 200 })
  name!: string;

  @Text('The operation.', { max: 100 })
  operation!: string;

  @Day('The day on which they were filed.')
  day!: string;

  @Count('Writes filed.', many)
  filed!: number;

  @Count('Of these: approved by a member.', many)
  approved!: number;

  @Count('Rejected by a member.', many)
  rejected!: number;

  @Count('Expired before anybody decided.', many)
  expired!: number;

  @Count('Refused when they would have been done: the world had changed.', many)
  refused!: number;

  @Count('Approved, and refused by the operation itself.', many)
  failed!: number;

  @Count('Done.', many)
  executed!: number;

  @Count('Median time from filing to decision, in milliseconds; null while nothing is decided.', {
    ...many,
    nullable: true,
  })
  medianDecisionMs!: number | null;
}

/** Figures of a period, newest day first. */
export class AgentDays extends PageOf(() => AgentDay, 'By key, operation and day.', 5_000) {}

/** Agents' requests and the decisions about them (`decisions.md` §9). */
export const agents = family(
  'access',
  'agents',
  {
    list: operation({
      http: 'GET /agents',
      summary: 'Count the writes that agents filed, and what became of them, by day',
      input: ListAgents,
      output: AgentDays,
    }),
  },
  { audience: 'member', admin: true },
);
