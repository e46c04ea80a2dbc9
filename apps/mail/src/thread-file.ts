import { fileURLToPath } from 'node:url';

/** What a thread runs, and the options that Node needs for it. */
export interface ThreadFile {
  readonly filename: string;
  readonly execArgv: string[];
}

/**
 * A module that threads run, beside the one that starts them. Specs run from TypeScript source with
 * nothing built (docs/adr/0002): a thread of theirs transforms its modules as Jest does theirs.
 *
 * @param beside `import.meta.url` of the module that starts it
 * @param name of the file, without its ending
 */
export function threadFile(beside: string, name: string): ThreadFile {
  const isSource = beside.endsWith('.ts');
  return {
    filename: fileURLToPath(new URL(`${name}.${isSource ? 'ts' : 'js'}`, beside)),
    execArgv: isSource ? ['--import', sourceHook()] : process.execArgv.filter(isForThreads),
  };
}

/** Not what measures the process: a thread's profile would take the place of the process's. */
const isForThreads = (option: string): boolean => option === '--enable-source-maps';

const sourceHook = (): string => new URL('../../../tools/source-thread.mjs', import.meta.url).href;
