/** Days for which an advisory may be accepted before it is reviewed again. */
export const acceptedDaysMax = 180;

const dayMs = 86_400_000;
const form = /^GHSA(?:-[0-9a-z]{4}){3}$/;

/**
 * Holds the report of `npm audit --json` against the advisories that were accepted.
 * @param accepted `{ advisory, reason, until }` each, `until` the last day (YYYY-MM-DD)
 * @returns `open`, what is to be dealt with; `accepted` and its reasons; `unused`, accepted and not found
 * @throws Error for an entry that is malformed or accepts for too long
 */
export function judge({ vulnerabilities }, accepted, today) {
  for (const entry of accepted) requireEntry(entry, today);
  const found = advisoriesOf(vulnerabilities);
  const valid = new Map(
    accepted.filter(({ until }) => until >= today).map((entry) => [entry.advisory, entry]),
  );
  return {
    open: found.filter(({ advisory }) => !valid.has(advisory)),
    accepted: found.flatMap(({ advisory }) => valid.get(advisory) ?? []),
    unused: accepted.filter((entry) => !found.some(({ advisory }) => advisory === entry.advisory)),
  };
}

/** Each advisory once; npm lists it with the package at fault and with all that depend on it. */
function advisoriesOf(vulnerabilities) {
  const all = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((via) => typeof via === 'object')
    .map(({ url, name, severity, title, range }) => ({
      ...{ advisory: url.split('/').at(-1), name, severity, title, range, url },
    }));
  return [...new Map(all.map((one) => [`${one.advisory} ${one.name}`, one])).values()];
}

function requireEntry({ advisory, reason, until }, today) {
  const end = Date.parse(until);
  if (!form.test(advisory)) throw new Error(`accepted.json: ${advisory} is no GHSA id.`);
  if (!reason) throw new Error(`accepted.json: ${advisory} has no reason.`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(until) || Number.isNaN(end))
    throw new Error(`accepted.json: ${advisory} has no day YYYY-MM-DD as its end.`);
  if (end > Date.parse(today) + acceptedDaysMax * dayMs)
    throw new Error(
      `accepted.json: ${advisory} is accepted for more than ${acceptedDaysMax} days.`,
    );
}
