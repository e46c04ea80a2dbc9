import { mountPoints } from '@postroom/contracts';
import { feedsPath } from '../access/index.js';
import { assetsPath, consolePages, mailFramePath } from './console/console.js';
import { settingsDocumentPath } from './http/documents.controller.js';
import { oauthPaths } from './oauth/paths.js';
import { formPages, signOut } from './pages/pages.js';
import { stylesheetPath } from './pages/stylesheet.js';
import { portalPaths } from './portal/portal.controllers.js';

/** The paths of pages without script; one below another is published with it. */
const formPaths = formPages.map(({ path }) => `/${path.split('/')[1]}`);
const stylesheet = new URL(stylesheetPath, 'http://any').pathname;

const pages = [
  ...formPaths,
  signOut.path,
  stylesheet,
  ...portalPaths,
  ...consolePages,
  assetsPath,
  mailFramePath,
];
const apis = [mountPoints.key, mountPoints.member, settingsDocumentPath];
const oauth = ['/oauth', oauthPaths.resource, oauthPaths.server];

/** Paths below which a proxy passes requests on, but for `/`, which is that page alone; probes and metrics are on the same port, and stay inside. */
export const publishedPaths: readonly string[] = [
  ...new Set([...apis, ...oauth, `/${feedsPath}`, ...pages]),
];
