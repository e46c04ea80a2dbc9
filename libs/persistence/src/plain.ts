/** What threads use that load no ORM: see `docs/adr/0035`. */
export { instant } from './instant.js';
export { rowsWithBytes } from './rows-with-bytes.js';
export { servicePool, type ServicePoolOptions } from './service-pool.js';
export { statement, type Statement } from './statement.js';
