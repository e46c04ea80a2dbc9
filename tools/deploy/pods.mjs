/** Every pod that the manifests make: of a Deployment, or of the Job. */
export const podsOf = (manifests) =>
  manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ kind, metadata, spec }) => ({
      owner: kind,
      name: metadata.name ?? metadata.generateName,
      labels: spec.template.metadata.labels,
      spec: spec.template.spec,
      container: spec.template.spec.containers[0],
    }));

/** True if a selector picks a pod with these labels. An empty one would pick all, and counts as picking none. */
export const selects = (matchLabels, labels) =>
  Object.keys(matchLabels ?? {}).length > 0 &&
  Object.entries(matchLabels).every(([name, value]) => labels?.[name] === value);
