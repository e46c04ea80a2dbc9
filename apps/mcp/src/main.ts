import { runService } from '@postroom/operations';
import { environment } from './config.js';
import { mcpService } from './mcp-app.js';

/** The service as a process of its own. */
await runService(mcpService, environment());
