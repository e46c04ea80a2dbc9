/**
 * Packages of a lock file that run where `start` runs, as `name@version`: what it needs, what that needs,
 * and so on. `npm sbom --omit dev` would leave out kafkajs and Nest, because some workspace has them among
 * its devDependencies too.
 * @param packages of package-lock.json
 */
export function shippedFrom(packages, start) {
  const seen = new Set();
  const visit = (location) => {
    const entry = packages[location];
    if (entry?.link) return visit(entry.resolved);
    if (!entry || seen.has(location)) return;
    seen.add(location);
    for (const name of needed(entry)) visit(resolved(packages, location, name));
  };
  visit(start);
  return new Set([...seen].map((location) => nameAndVersion(location, packages[location])));
}

const needed = ({ dependencies, optionalDependencies, peerDependencies, ...entry }) => {
  const isOptional = (name) => entry.peerDependenciesMeta?.[name]?.optional;
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !isOptional(name));
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
};

/** As Node looks for it: in the folder itself, then in those around it. */
function resolved(packages, location, name) {
  for (let at = location; ; at = at.replace(/(?:^|\/)[^/]*$/, '')) {
    const candidate = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[candidate] || at === '') return candidate;
  }
}

const nameAndVersion = (location, { name, version }) =>
  `${name ?? location.split('node_modules/').at(-1)}@${version}`;
