export { learnLinks } from './learn-links.js';
export { linksOfConversation } from './links-of-conversation.js';
