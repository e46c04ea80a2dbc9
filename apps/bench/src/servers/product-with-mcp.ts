import { InProcessBus } from '@postroom/bus';
import { serve } from './serve.js';
import { startMcp, startProduct } from './start-product.js';

/** The product with its tools for AI agents. */
serve(async (setup) => {
  const bus = new InProcessBus();
  const product = await startProduct(setup, bus);
  const mcp = await startMcp(setup, bus);
  return {
    ...product,
    async close() {
      await mcp.close();
      await product.close();
    },
  };
});
