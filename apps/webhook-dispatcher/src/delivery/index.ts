export { Poster, type PosterOptions } from './attempt.js';
export { DeliveryModule } from './delivery.module.js';
export { Dispatcher } from './dispatcher.js';
