import { fileURLToPath } from 'node:url';

/** The file that a thread runs, and the Node options that it needs. */
export interface ThreadFile {
  readonly filename: string;
  readonly execArgv: string[];
}

/**
 * Locates the module that a thread runs. Specs run from TypeScript source with nothing built
 * (docs/adr/0002), so a thread that a spec starts transforms its modules as Jest does.
 *
 * @param beside `import.meta.url` of the module that starts the thread, in the same folder
 * @param name of the file, without its extension
 */
export function threadFile(beside: string, name: string): ThreadFile {
  const isSource = beside.endsWith('.ts');
  return {
    filename: fileURLToPath(new URL(`${name}.${isSource ? 'ts' : 'js'}`, beside)),
    execArgv: isSource ? ['--import', sourceHook()] : process.execArgv.filter(isForThreads),
  };
}

/** Profiling options stay with the process: a thread's profile would replace the process's. */
const isForThreads = (option: string): boolean => option === '--enable-source-maps';

const sourceHook = (): string =>
  new URL('../../../../tools/source-thread.mjs', import.meta.url).href;
