import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder that `vite build` makes of apps/console. */
const folder = fileURLToPath(
  new URL('dist/page/', import.meta.resolve('@postroom/console/package.json')),
);

/** The first path segments of the console's pages; any path below one is the page's own. */
const segments = [
  'analytics',
  'approvals',
  'audit',
  'calendar',
  'contacts',
  'inbox',
  'keys',
  'me',
  'settings',
  'tasks',
  'webhooks',
];

/** The paths that answer the console's page. */
export const consolePages: readonly string[] = ['/', ...segments.map((one) => `/${one}`)];

export const mailFramePath = '/mail-frame.html';
export const assetsPath = '/assets';

/** The place of the nonce in a page; a fresh one is put there for each answer, and named in its policy. */
const nonceMark = '{{nonce}}';

/** The console as it was built. */
export interface BuiltConsole {
  /** The folder of files with a digest in their names. */
  readonly assets: string;
  /** The page, with that nonce on its scripts and styles. */
  pageWith(nonce: string): string;
  /** The address of the script of an entry, as `src/sign-in/passkey.ts`; null if there is none. */
  scriptOf(entry: string): string | null;
}

/** The result of `vite build`; null where nothing was built, and only the API is served. */
export function builtConsole(): BuiltConsole | null {
  if (!existsSync(`${folder}index.html`)) return null;
  const page = readFileSync(`${folder}index.html`, 'utf8');
  const manifest = JSON.parse(readFileSync(`${folder}manifest.json`, 'utf8')) as Manifest;
  return {
    assets: `${folder}assets`,
    pageWith: (nonce) => page.replaceAll(nonceMark, nonce),
    scriptOf: (entry) => {
      const file = manifest[entry]?.file;
      return file === undefined ? null : `/${file}`;
    },
  };
}

type Manifest = Readonly<Record<string, { readonly file: string }>>;
