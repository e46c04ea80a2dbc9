/** For worker threads that must not load the ORM: `docs/adr/0035`. */
export { instant } from './instant.js';
export { servicePool, type ServicePoolOptions } from './service-pool.js';
export { statement, type Statement } from './statement.js';
