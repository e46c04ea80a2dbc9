import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../run/child.mjs';
import { brokenPromises } from './policy.mjs';
import { keptStage, valuesOf } from './stage.mjs';

const read = (path) => readFile(join(root, 'k8s', path), 'utf8');

describe('the kept manifests', () => {
  it('keep every promise of the chart', async () => {
    const manifests = parseAllDocuments(await read(`rendered/${keptStage}.yaml`)).map((one) =>
      one.toJS(),
    );
    const registry = parse(await read('files/services.yaml'));
    expect(brokenPromises(manifests, registry, await valuesOf(keptStage))).toEqual({});
  });
});
