import { analytics } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { periodOf, type WorkspaceClock } from './period.js';
import { VolumeShares } from './volume-shares.js';

export const readClock = statement<WorkspaceClock>(
  'access.workspace_clock',
  `SELECT time_zone AS "timeZone", to_char(today, 'YYYY-MM-DD') AS today FROM workspace_clock($1)`,
);

/** Figures of the workspace. */
export const AnalyticsHandlers = handlers(analytics, [VolumeShares], (shares) => ({
  summary: async (context, input) => {
    const [clock] = await context.rows(readClock, []);
    if (!clock) throw new Error(`no workspace ${context.tenantId}`);
    const period = periodOf(input, clock);
    const volumes = await shares.gather(context, period);
    return { summary: { volumes, metricAvailability: 'volumes_only' } };
  },
}));
