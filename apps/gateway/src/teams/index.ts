export { TeamEntity } from './team.entity.js';
export { TeamsHandlers } from './teams.handlers.js';
