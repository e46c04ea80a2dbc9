/** Why what a calendar says is no event that can be kept, or acted on. */
export class Unreadable extends Error {}
