const isObject = (value) => typeof value === 'object' && value !== null;

/** Texts for people, and fields that are the same for all operations. */
const words = new Set(['summary', 'description', 'tags', 'headers']);

/**
 * The parts of an OpenAPI document that clients depend on: the paths and schemas, without words for people and without the answers
 * of errors, which all operations share.
 */
export const releasedContract = ({ paths, components }) => ({
  paths: withoutWords(paths),
  components: { schemas: Object.fromEntries(schemasOf(components)) },
});

const schemasOf = ({ schemas }) =>
  Object.entries(schemas).map(([name, schema]) => [name, withoutWords(schema)]);

function withoutWords(value) {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !words.has(key))
      .map(([key, part]) => [key, partOf(key, part)]),
  );
}

/** Fields are named by their keys, whatever these are; of the answers those of errors are left out. */
function partOf(key, part) {
  const isMap = key === 'properties' || key === 'responses';
  if (!isMap || !isObject(part) || Array.isArray(part)) return withoutWords(part);
  const kept = Object.entries(part).filter(([name]) => key === 'properties' || name < '400');
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutWords(one)]));
}
