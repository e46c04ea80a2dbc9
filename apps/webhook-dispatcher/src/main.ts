import { runService } from '@postroom/operations';
import { environment } from './config.js';
import { webhooksService } from './webhook-dispatcher-app.js';

/** The service as a process of its own. */
await runService(webhooksService, environment());
