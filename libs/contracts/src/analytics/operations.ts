import { Day, OneOf, Part } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { Volumes } from './volumes.js';

/** Input of the summary. */
export class GetAnalyticsSummary {
  @Day('First day in the workspace’s time zone; 29 days before the last one when absent.', {
    optional: true,
  })
  from?: string;

  @Day('Last day, included; today when absent. The period has at most 366 days.', {
    optional: true,
  })
  to?: string;
}

/** What is known of a period: how much there was, not how well it went. */
export class AnalyticsSummary {
  @Part(() => Volumes, 'How much there was of what.')
  volumes!: Volumes;

  @OneOf(['volumes_only'], 'Which metrics there are: volumes alone.')
  metricAvailability!: 'volumes_only';
}

/** Answer of the summary. */
export class AnalyticsAnswer {
  @Part(() => AnalyticsSummary, 'The summary.')
  summary!: AnalyticsSummary;
}

/** Figures of the whole workspace, gathered by the gateway (public-api.md §4). */
export const analytics = family('access', 'analytics', {
  summary: operation({
    http: 'GET /v1/analytics/summary',
    scope: 'read:analytics',
    effect: 'read',
    summary: 'Count what there was in a period, by day and by mailbox',
    input: GetAnalyticsSummary,
    output: AnalyticsAnswer,
  }),
});
