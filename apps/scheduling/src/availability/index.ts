export { AvailabilityModule } from './availability.module.js';
