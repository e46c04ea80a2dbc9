import { onKafka } from './kafka.js';
import { serve } from './serve.js';
import { startMcp } from './start-product.js';

/** The MCP service as a process of its own. */
serve((setup) => onKafka('mcp', setup, startMcp));
