import { formPages, signOut } from './pages.js';
import { stylesheetPath } from './stylesheet.js';

/** The paths of pages without script; the one below another is published with it. */
export const pagePaths: readonly string[] = [
  ...new Set(formPages.map(({ path }) => `/${path.split('/')[1]}`)),
  signOut.path,
  new URL(stylesheetPath, 'http://any').pathname,
];
