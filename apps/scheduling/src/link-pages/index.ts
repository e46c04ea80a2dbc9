export { LinkPagesModule } from './link-pages.module.js';
