import { Controller } from '@nestjs/common';
import { analytics, type AnalyticsAnswer, type GetAnalyticsSummary } from '@postroom/contracts';
import { Handles, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { periodOf, type WorkspaceClock } from './period.js';
import { VolumeShares } from './volume-shares.js';

const readClock = statement<WorkspaceClock>(
  'access.workspace_clock',
  `SELECT time_zone AS "timeZone", to_char(today, 'YYYY-MM-DD') AS today FROM workspace_clock($1)`,
);

/** Figures of the workspace. */
@Controller()
export class AnalyticsHandlers {
  constructor(private readonly shares: VolumeShares) {}

  @Handles(analytics.summary)
  async summary(context: Reading, input: GetAnalyticsSummary): Promise<AnalyticsAnswer> {
    const [clock] = await context.rows(readClock, []);
    if (!clock) throw new Error(`no workspace ${context.tenantId}`);
    const period = periodOf(input, clock);
    const volumes = { period, ...(await this.shares.gather(context, period)) };
    return { summary: { volumes, metricAvailability: 'volumes_only' } };
  }
}
