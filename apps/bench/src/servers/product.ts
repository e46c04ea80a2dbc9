import { serve } from './serve.js';
import { startProduct } from './start-product.js';

/** The product as it is. */
serve(startProduct);
