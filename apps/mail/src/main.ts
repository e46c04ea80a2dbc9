import { runService } from '@postroom/operations';
import { environment } from './config.js';
import { mailService } from './mail-app.js';

/** The mail service as a process of its own. */
await runService(mailService, environment());
