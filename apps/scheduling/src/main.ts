import { runService } from '@postroom/operations';
import { environment } from './config.js';
import { schedulingService } from './scheduling-app.js';

/** The service as a process of its own. */
await runService(schedulingService, environment());
