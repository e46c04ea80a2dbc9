import { validateSync } from 'class-validator';
import { settingsOf, type Setting } from './setting.js';

/** One thing wrong with the environment. */
export interface ConfigFault {
  /** The environment variable. */
  readonly variable: string;
  /** The fault, completing the sentence; never the text of a secret or a URL. */
  readonly found: string;
  readonly allowed: string;
}

/** The environment does not fit the configuration class; its message lists every fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly ConfigFault[]) {
    const lines = faults.map(
      ({ variable, found, allowed }) => `\n  ${variable} ${found}; allowed: ${allowed}`,
    );
    super(`The configuration is wrong:${lines.join('')}`);
  }
}

const shownMax = 60;

function describe({ concealed }: Setting, given: string | undefined): string {
  if (given === undefined) return 'is not set';
  if (concealed) return 'is malformed (its value is not shown)';
  const shown = given.length > shownMax ? `${given.slice(0, shownMax)}…` : given;
  return `is ${JSON.stringify(shown)}`;
}

/** An unset variable and an empty one are the same: compose files and charts write empty ones. */
const givenIn = (env: NodeJS.ProcessEnv, variable: string): string | undefined =>
  env[variable]?.trim() || undefined;

/**
 * Builds a configuration from an environment: reads each setting, validates the whole with
 * class-validator, and freezes it. White space around a value is dropped; an empty one is unset.
 *
 * @param config a class whose properties carry `@setting…`, without constructor parameters
 * @param env `process.env`, or the environment that a composition builds for one of its services
 * @throws ConfigError listing every fault at once
 */
export function loadConfig<C extends object>(
  config: new () => C,
  env: NodeJS.ProcessEnv,
): Readonly<C> {
  const loaded = new config();
  const settings = settingsOf(config);
  for (const { property, variable, parse, unset } of settings) {
    const given = givenIn(env, variable);
    Object.assign(loaded, { [property]: given === undefined ? unset : parse(given) });
  }
  const faults = validateSync(loaded, { forbidUnknownValues: false }).map((error) => {
    const setting = settings.find(({ property }) => property === error.property);
    const allowed = Object.values(error.constraints ?? {}).join('; ');
    if (!setting) return { variable: error.property, found: 'is wrong', allowed };
    const { variable } = setting;
    return { variable, found: describe(setting, givenIn(env, variable)), allowed };
  });
  if (faults.length > 0) throw new ConfigError(faults);
  gatherRecords(loaded);
  return Object.freeze(loaded);
}

/** Gathers the values that `setting.each` declared as `property.name` into a record. */
function gatherRecords(loaded: object): void {
  for (const [path, value] of Object.entries(loaded) as [string, unknown][]) {
    const [property = '', name] = path.split('.');
    if (name === undefined) continue;
    const known: unknown = Object.getOwnPropertyDescriptor(loaded, property)?.value;
    Object.assign(loaded, { [property]: { ...(known as object | undefined), [name]: value } });
    Reflect.deleteProperty(loaded, path);
  }
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The faults of an environment for a configuration class; none if it fits. */
export function faultsOf(config: new () => object, env: NodeJS.ProcessEnv): readonly ConfigFault[] {
  try {
    loadConfig(config, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** {@link loadConfig} of classes that share an environment: every fault of all of them at once. */
export function loadConfigs<C extends readonly object[]>(
  configs: { readonly [At in keyof C]: new () => C[At] },
  env: NodeJS.ProcessEnv,
): { readonly [At in keyof C]: Readonly<C[At]> } {
  const faults = configs.flatMap((config) => faultsOf(config, env));
  if (faults.length > 0) throw new ConfigError(faults);
  return configs.map((config) => loadConfig(config, env)) as { [At in keyof C]: Readonly<C[At]> };
}

function row({ variable, about, allowed, required, defaultText }: Setting): string {
  const whenUnset = required ? 'required' : defaultText === null ? 'unset' : `\`${defaultText}\``;
  return `| \`${variable}\` | ${cell(about)} | ${cell(allowed)} | ${cell(whenUnset)} |`;
}

/** The settings of configuration classes as a Markdown table for the documentation. */
export function settingsTable(...configs: readonly (abstract new () => object)[]): string {
  const rows = new Set(configs.flatMap((config) => settingsOf(config).map(row)));
  return ['| Variable | Meaning | Allowed | Default |', '|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}
