import { builtConsole } from '../console/console.js';
import type { FormPage } from './form-page.js';

const built = builtConsole();

/** The address of the script that adds to a page; null for a page without one, and where no console is built. */
export const scriptOf = ({ script }: FormPage): string | null =>
  script === undefined ? null : (built?.scriptOf(script) ?? null);
