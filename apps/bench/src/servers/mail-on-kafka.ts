import { onKafka } from './kafka.js';
import { serve } from './serve.js';
import { startMail } from './start-product.js';

/** The mail service as a process of its own. */
serve((setup) => onKafka('mail', setup, startMail));
