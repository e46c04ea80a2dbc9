import { onKafka } from './kafka.js';
import { serve } from './serve.js';
import { startGateway } from './start-product.js';

/** The gateway as a process of its own. */
serve((setup) => onKafka('gateway', setup, startGateway));
