import { InProcessBus } from '@postroom/bus';
import { createLog, Metrics, type RecordOperation } from '@postroom/service';
import { serve } from './serve.js';
import { startProduct } from './start-product.js';

/** Counts nothing. */
class NoMetrics extends Metrics {
  override operations(): RecordOperation {
    return () => undefined;
  }

  override gauge(): void {
    // Nothing is read.
  }

  override counter() {
    return () => undefined;
  }
}

/** The product, of which an operator learns nothing. */
serve((setup) => {
  const log = createLog({ level: 'silent', format: 'json' });
  return startProduct(setup, new InProcessBus(), { log, metrics: new NoMetrics() });
});
