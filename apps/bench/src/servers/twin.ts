import { fastify } from 'fastify';
import { listen, poolOf } from './bare.js';
import { serve } from './serve.js';
import { addCommentRoute } from './twin-comment.js';
import { addListRoute } from './twin-list.js';
import { addSendRoute } from './twin-send.js';

/**
 * The routes written by hand for speed: Fastify, pg, prepared statements, compiled serializers. The
 * key is looked up and compared; nothing else is checked.
 */
serve(async ({ databaseUrls, outgoingUrl }) => {
  const access = poolOf(databaseUrls.access, 'access');
  const mail = poolOf(databaseUrls.mail, 'mail');
  const app = fastify();
  addListRoute(app, access, mail);
  addCommentRoute(app, access, mail);
  if (outgoingUrl !== null) addSendRoute(app, access, outgoingUrl);
  const port = await listen(app);
  return {
    port,
    async close() {
      await app.close();
      await Promise.all([access.end(), mail.end()]);
    },
  };
});
