import { readFile } from 'node:fs/promises';
import { judge } from './judge.mjs';
import { npmJson, ofTheLock } from './npm.mjs';

/**
 * Asks the registry for known weaknesses of what an installation runs. It needs the network, so no check of
 * a commit depends on it.
 * @returns the exit code: 0 nothing open, 1 something open, 2 nothing was checked
 */
export async function checkAdvisories({
  folder,
  args = [...ofTheLock, '--omit', 'dev'],
  accepted,
  today = new Date().toISOString().slice(0, 10),
  say = (line) => console.error(line),
} = {}) {
  const report = await npmJson(['audit', '--json', ...args], folder);
  if (!report.vulnerabilities) {
    const { message = 'an answer that is no report' } = report;
    say(`✗ advisories: NOT CHECKED. The registry answers no audit requests (${message}).`);
    return 2;
  }
  const verdict = judge(report, accepted ?? (await acceptedEntries()), today);
  for (const { advisory, name, range, severity, title, url } of verdict.open)
    say(`✗ ${advisory} (${severity}) in ${name} ${range}: ${title}. ${url}`);
  for (const { advisory, until, reason } of verdict.accepted)
    say(`- ${advisory}: accepted until ${until}. ${reason}`);
  for (const { advisory } of verdict.unused)
    say(`- ${advisory}: accepted, and not found any more: take it out of accepted.json`);
  say(`${verdict.open.length > 0 ? '✗' : '✓'} advisories: ${verdict.open.length} open`);
  return verdict.open.length > 0 ? 1 : 0;
}

const acceptedEntries = async () =>
  JSON.parse(await readFile(new URL('accepted.json', import.meta.url), 'utf8'));
