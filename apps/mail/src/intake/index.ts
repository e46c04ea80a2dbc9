export { Intake } from './intake.js';
