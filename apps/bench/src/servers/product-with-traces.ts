import { serve } from './serve.js';
import { startObserved } from './start-observed.js';

/** The product with its logs, its metrics, and spans of every tenth request. */
serve((setup) => startObserved(setup, 0.1));
