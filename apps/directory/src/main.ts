import { runService } from '@postroom/operations';
import { environment } from './config.js';
import { directoryService } from './directory-app.js';

/** The service as a process of its own. */
await runService(directoryService, environment());
