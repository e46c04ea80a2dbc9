/** Attacks on a product of their own, which the bench measures too. */
export { announceNodeOptions } from './config.js';
export { attacks, Battlefield, type Attack, type Attacking } from './hostile/attacks.js';
export { query } from './public-api.js';
export type { Product } from './product.js';
export { startNewProduct } from './product-process.js';
export { Workplace } from './workplace.js';
