/** What of the bus needs no broker's client, for threads: see `docs/adr/0035`. */
export { Slots } from './order.js';
