import { ServiceConfig } from '@postroom/operations';
import { setting } from '@postroom/service';

/** The settings of the scheduling service. */
export class SchedulingConfig extends ServiceConfig {
  @setting.integer('QUOTA_EVENTS', 'Events of a workspace; one that repeats is one.', {
    default: 1_000_000,
    min: 1,
    max: 1_000_000_000,
  })
  quotaEvents!: number;

  @setting.integer('QUOTA_TASKS', 'Tasks of a workspace, done ones included.', {
    default: 1_000_000,
    min: 1,
    max: 1_000_000_000,
  })
  quotaTasks!: number;
}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
