export { learnDecisions } from './learn-decisions.js';
