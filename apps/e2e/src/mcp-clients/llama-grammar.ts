import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const source = 'llama-cpp-python==0.3.36';
const file = 'llama_cpp/llama_grammar.py';
const unpacking = `import glob, sys, tarfile
with tarfile.open(glob.glob(sys.argv[1] + '/*.tar.gz')[0]) as source:
    (member,) = [one for one in source.getmembers() if one.name.endswith('${file}')]
    open(sys.argv[1] + '/llama_grammar.py', 'wb').write(source.extractfile(member).read())`;

/**
 * A folder with llama.cpp's converter of schemas to grammars, as its Python package has it, kept in the temporary
 * folder for the next run. The package itself would be compiled for minutes. Null where it is not to be had.
 */
export function llamaGrammar(): string | null {
  const folder = join(tmpdir(), `postroom-${source.replace('==', '-')}`);
  if (existsSync(folder)) return folder;
  const half = mkdtempSync(`${folder}-`);
  const options = { timeout: 240_000 };
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:'];
  const isThere =
    spawnSync('python3', [...download, '--dest', half, source], options).status === 0 &&
    spawnSync('python3', ['-c', unpacking, half], options).status === 0;
  if (!isThere) {
    rmSync(half, { recursive: true });
    return null;
  }
  rmSync(join(half, `${source.replaceAll('-', '_').replace('==', '-')}.tar.gz`));
  renameSync(half, folder);
  return folder;
}
