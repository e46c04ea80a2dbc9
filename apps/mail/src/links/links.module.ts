import { Module } from '@nestjs/common';
import { learntLinks } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { learnLinkPage } from './learn-links.js';

/** What the gateway brings of scheduling when links of conversations are rebuilt. */
const LearntLinksHandlers = handlers(learntLinks, {
  learn: async (context, page) => {
    await learnLinkPage(context, page);
    return { ok: true };
  },
});

@Module({ controllers: [LearntLinksHandlers] })
export class LinksModule {}
