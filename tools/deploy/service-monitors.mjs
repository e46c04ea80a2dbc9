import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

/** Has the definitions of ServiceMonitor and PrometheusRule, as clusters have them. */
const operator = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
const definitions = 'example/prometheus-operator-crd/monitoring.coreos.com_';

/** Unknown fields are dropped by a cluster in silence, so they count as faults here. */
function strict(schema) {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(strict);
  const inner = Object.fromEntries(
    // Go's regular expressions say within that case does not matter.
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'pattern' ? String(value).replace('(?i)', '') : strict(value),
    ]),
  );
  const isClosed = inner.type === 'object' && inner.properties && !inner.additionalProperties;
  return isClosed ? { ...inner, additionalProperties: false } : inner;
}

/** The file that has the definition of a kind (`servicemonitors`, `prometheusrules`), of Go's module cache. */
export async function definitionOf(kind) {
  const run = promisify(execFile);
  const { stdout } = await run('go', ['mod', 'download', '-json', operator], { cwd: '/' });
  return join(JSON.parse(stdout).Dir, `${definitions}${kind}.yaml`);
}

async function schemaOf(kind) {
  const file = await definitionOf(kind);
  const [version] = parse(await readFile(file, 'utf8')).spec.versions;
  return version.schema.openAPIV3Schema;
}

/** A function that names the fault of an object of a kind; null for none. */
export async function checkOf(kind) {
  const { properties, ...schema } = await schemaOf(kind);
  const spec = strict(properties.spec);
  const validate = new Ajv({ strict: false, validateFormats: false }).compile({
    ...schema,
    properties: { ...properties, spec },
  });
  return (manifest) =>
    validate(manifest)
      ? null
      : validate.errors.map(({ instancePath, message, params }) =>
          [instancePath, message, params.additionalProperty].filter(Boolean).join(' '),
        );
}
