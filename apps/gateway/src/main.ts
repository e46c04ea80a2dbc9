import { runService } from '@postroom/operations';
import { environment } from './config.js';
import { gatewayService } from './gateway-app.js';

/** The gateway as a process of its own. */
await runService(gatewayService, environment());
