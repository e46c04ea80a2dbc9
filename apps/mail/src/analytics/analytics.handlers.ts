import { mailVolumes } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { countVolumes } from './count-volumes.js';

/** What the gateway gathers for a summary. */
export const AnalyticsHandlers = handlers(mailVolumes, { count: countVolumes });
