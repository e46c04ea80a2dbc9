export { Dispatcher } from './dispatcher.js';
export { allowedOrigins } from './transport.js';
