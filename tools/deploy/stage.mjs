import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../run/child.mjs';

/** Each has values in `k8s/stages`. */
export const stages = ['production', 'staging', 'trial'];

/** The stage whose manifests are kept in `k8s/rendered`, so that a change of the chart is a difference to read. */
export const keptStage = 'production';

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** As helm merges values: maps by key, everything else as a whole. */
function merge(under, over) {
  if (!isMap(under) || !isMap(over)) return over;
  const keys = Object.keys({ ...under, ...over });
  return Object.fromEntries(
    keys.map((key) => [key, key in over ? merge(under[key], over[key]) : under[key]]),
  );
}

const read = async (path) => parse(await readFile(join(root, 'k8s', path), 'utf8'));

/** The chart's values under those of a stage. */
export const valuesOf = async (stage) =>
  merge(await read('values.yaml'), await read(`stages/${stage}.yaml`));
