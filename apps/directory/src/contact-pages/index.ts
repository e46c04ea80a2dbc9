export { ContactPagesModule } from './contact-pages.module.js';
