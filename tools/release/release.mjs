import { execFile } from 'node:child_process';
import { glob, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const released = 'libs/contracts/src/golden/released';

/** A release cannot be made; the message says why. */
export class ReleaseRefused extends Error {}

/**
 * Makes a release of what is committed: sets the version, dates the changelog, keeps the contract as released, commits
 * and tags. Nothing leaves the machine.
 *
 * @param version `major.minor.patch`, above the one that is there
 * @param folder of the clone
 * @param date as in the changelog, `2026-11-25`
 * @returns the path of the release notes
 * @throws ReleaseRefused before anything is changed
 */
export async function release(version, folder, date = new Date().toISOString().slice(0, 10)) {
  const at = (path) => join(folder, path);
  const git = async (...args) => {
    const { stdout } = await promisify(execFile)('git', args, { cwd: folder });
    return stdout;
  };
  const edit = async (path, change) =>
    writeFile(at(path), change(await readFile(at(path), 'utf8')));
  const jsonOf = async (path) => JSON.parse(await readFile(at(path), 'utf8'));

  const { name, version: before } = await jsonOf('package.json');
  const notes = notesOf(await readFile(at('CHANGELOG.md'), 'utf8'));
  const isDirty = (await git('status', '--porcelain')) !== '';
  const isTagged = (await git('tag', '--list', `v${version}`)) !== '';
  refuseUnless(isAbove(version, before), `${version} is no version above ${before}`);
  refuseUnless(!isDirty, 'there are changes that are not committed');
  refuseUnless(!isTagged, `the tag v${version} exists`);
  refuseUnless(notes !== '', 'CHANGELOG.md says nothing under "Unreleased"');

  const manifests = await Array.fromAsync(glob('{apps,libs}/*/package.json', { cwd: folder }));
  for (const path of ['package.json', ...manifests]) await edit(path, withVersion(before, version));
  await edit('package-lock.json', (text) => lockWithVersion(text, version));
  await edit('k8s/Chart.yaml', (text) =>
    text.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`),
  );
  for (const file of await readdir(at('k8s/rendered'))) {
    await edit(`k8s/rendered/${file}`, renderedWithVersion(before, version));
  }
  await edit('CHANGELOG.md', (text) =>
    text.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${date}`),
  );
  for (const file of await readdir(at(released))) await rm(at(`${released}/${file}`));
  const contract = await jsonOf('libs/contracts/src/golden/openapi.json');
  await writeFile(at(`${released}/openapi-${version}.json`), `${JSON.stringify(contract)}\n`);
  await writeFile(at(`${released}/corrected.json`), '[]\n');

  await git('add', '--all');
  await git('commit', '--quiet', '--message', `chore: release ${version}`);
  // Git would take the headings of the notes for comments.
  const tag = ['tag', '--annotate', '--cleanup=verbatim', `v${version}`];
  await git(...tag, '--message', `${name} ${version}\n\n${notes}\n`);
  await mkdir(at('dist'), { recursive: true });
  const path = at(`dist/${name}-${version}.md`);
  await writeFile(path, `# ${name} ${version}\n\n${notes}\n`);
  return path;
}

function refuseUnless(isRight, reason) {
  if (!isRight) throw new ReleaseRefused(`No release was made: ${reason}.`);
}

/** The changelog's text under "Unreleased". */
const notesOf = (changelog) =>
  (/^## Unreleased\n([^]*?)(?=^## )/m.exec(changelog)?.[1] ?? '').trim();

const numbersOf = (version) =>
  /^(\d+)\.(\d+)\.(\d+)$/
    .exec(version ?? '')
    ?.slice(1)
    .map(Number) ?? null;

function isAbove(version, before) {
  const [one, other] = [numbersOf(version), numbersOf(before)];
  if (one === null) return false;
  const at = one.findIndex((number, place) => number !== other[place]);
  return at >= 0 && one[at] > other[at];
}

const withVersion = (before, version) => (text) =>
  text.replace(`"version": "${before}"`, `"version": "${version}"`);

/** npm's lock file names the version of the project and of each of its packages. */
function lockWithVersion(text, version) {
  const lock = JSON.parse(text);
  lock.version = version;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path.startsWith('node_modules/') && entry.version) entry.version = version;
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** As helm would render it: the chart has its version in a label, and in the images' tags. */
const renderedWithVersion = (before, version) => (text) =>
  text
    .replaceAll(`app.kubernetes.io/version: "${before}"`, `app.kubernetes.io/version: "${version}"`)
    .replaceAll(
      new RegExp(`^( *image: \\S+):${before.replaceAll('.', '\\.')}$`, 'gm'),
      `$1:${version}`,
    );
