export { learnLinks } from './learn-links.js';
export { LinksModule } from './links.module.js';
export { linksOfConversation } from './links-of-conversation.js';
