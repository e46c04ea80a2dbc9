import { serve } from './serve.js';
import { startObserved } from './start-observed.js';

/** The product with its logs, and its metrics as they are read. */
serve((setup) => startObserved(setup, null));
