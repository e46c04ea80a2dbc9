import { isIP } from 'node:net';
import { isArray, isBoolean, isIn, isInt, isString, max, min } from 'class-validator';

/** Parses the text of an environment variable, and decides on allowed values. */
export interface Kind<T> {
  readonly name: string;
  /** The allowed values, for the operator: completes "allowed: …". */
  readonly allowed: string;
  /** The text may hold a secret: no error and no table ever shows it. */
  readonly concealed?: boolean;
  /** The value, or something that {@link accepts} refuses. */
  readonly parse: (text: string) => unknown;
  readonly accepts: (value: unknown) => boolean;
  /** A default as the operator would write it. */
  readonly show: (value: T) => string;
}

/** The bounds of a whole number, both inclusive. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

const asIs = (text: string): string => text;
const isFilled = (value: unknown): boolean => isString(value) && value !== '';
const toInteger = (text: string): unknown => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);
const isBetween = (value: unknown, bounds: Bounds): boolean =>
  isInt(value) && min(value, bounds.min) && max(value, bounds.max);

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const isUnit = (text: string): text is keyof typeof unitMs => Object.hasOwn(unitMs, text);
const durationForm = 'such as 500ms, 30s, 5m, 12h or 7d (a bare number is milliseconds)';

function toMilliseconds(text: string): unknown {
  const [, digits = '', unit = ''] = /^(\d{1,12}) ?([a-z]*)$/.exec(text) ?? [];
  if (digits === '') return text;
  if (unit === '') return Number(digits);
  return isUnit(unit) ? Number(digits) * unitMs[unit] : text;
}

/** Milliseconds in the largest unit that divides them. */
function fromMilliseconds(ms: number): string {
  const units: (keyof typeof unitMs)[] = ['d', 'h', 'm', 's'];
  const unit = units.find((one) => ms >= unitMs[one] && ms % unitMs[one] === 0) ?? 'ms';
  return `${ms / unitMs[unit]}${unit}`;
}

const items = (text: string): string[] => text.split(',').map((item) => item.trim());

export const text: Kind<string> = {
  name: 'text',
  allowed: 'any text',
  parse: asIs,
  accepts: isFilled,
  show: asIs,
};

export const port: Kind<number> = {
  name: 'port',
  allowed: 'a port from 1 to 65535, or 0 for any free one',
  parse: toInteger,
  accepts: (value) => isBetween(value, { min: 0, max: 65_535 }),
  show: String,
};

export const integer = (bounds: Bounds): Kind<number> => ({
  name: 'integer',
  allowed: `a whole number from ${bounds.min} to ${bounds.max}`,
  parse: toInteger,
  accepts: (value) => isBetween(value, bounds),
  show: String,
});

export const fraction: Kind<number> = {
  name: 'fraction',
  allowed: 'a number from 0 to 1, such as 0.1',
  parse: (given) => (/^\d(?:\.\d{1,9})?$/.test(given) ? Number(given) : given),
  accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  show: String,
};

const flags = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export const flag: Kind<boolean> = {
  name: 'flag',
  allowed: 'true or false (or 1 or 0)',
  parse: (given) => flags.get(given.toLowerCase()) ?? given,
  accepts: isBoolean,
  show: String,
};

/** Concealed, since a URL is where a password travels (`postgres://user:password@host`). */
export const url = (protocols: readonly string[]): Kind<string> => ({
  name: 'url',
  allowed: `a URL that begins with ${protocols.join(' or ')}`,
  concealed: true,
  parse: asIs,
  accepts: (value) => isString(value) && protocols.includes(URL.parse(value)?.protocol ?? ''),
  show: asIs,
});

export const duration = (bounds: Bounds): Kind<number> => ({
  name: 'duration',
  allowed: `${fromMilliseconds(bounds.min)} to ${fromMilliseconds(bounds.max)}, ${durationForm}`,
  parse: toMilliseconds,
  accepts: (value) => isBetween(value, bounds),
  show: fromMilliseconds,
});

export const list: Kind<readonly string[]> = {
  name: 'list',
  allowed: 'texts separated by commas, none of them empty',
  parse: items,
  accepts: (value) => isArray(value) && value.every(isFilled),
  show: (value) => value.join(','),
};

const isNetwork = (text: unknown): boolean => {
  if (typeof text !== 'string') return false;
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const width = new Map([
    [4, 32],
    [6, 128],
  ]).get(isIP(address));
  return width !== undefined && Number(bits ?? width) <= width;
};

export const networks: Kind<readonly string[]> = {
  ...list,
  name: 'networks',
  allowed: 'addresses or networks (`10.0.0.0/8`, `fd00::/8`) separated by commas',
  accepts: (value) => isArray(value) && value.every(isNetwork),
};

export const durations = (bounds: Bounds): Kind<readonly number[]> => {
  const one = duration(bounds);
  return {
    name: 'durations',
    allowed: `durations separated by commas, each ${one.allowed}`,
    parse: (given) => items(given).map(one.parse),
    accepts: (value) => isArray(value) && value.every(one.accepts),
    show: (value) => value.map(one.show).join(','),
  };
};

export const oneOf = <V extends string>(values: readonly V[]): Kind<V> => ({
  name: 'one of',
  allowed: values.join(', '),
  parse: asIs,
  accepts: (value) => isIn(value, values),
  show: asIs,
});

export const secret = (lengthMin: number): Kind<string> => ({
  name: 'secret',
  allowed: `a secret of at least ${lengthMin} characters`,
  concealed: true,
  parse: asIs,
  accepts: (value) => isString(value) && value.length >= lengthMin,
  show: () => '(secret)',
});

export const secrets: Kind<string> = {
  name: 'secrets',
  allowed: 'secrets of at least 16 characters, separated by commas, the one in use first',
  concealed: true,
  parse: asIs,
  accepts: (value) => isString(value) && items(value).every(({ length }) => length >= 16),
  show: () => '(secret)',
};

const ringEntry = /^([A-Za-z0-9_-]{1,32}):[A-Za-z0-9+/]{43}=$/;

/** Checks the form alone; libs/access reads the keys. */
export const keyring: Kind<string> = {
  name: 'keyring',
  allowed:
    'keys as <id>:<base64 of 32 bytes>, separated by commas, the one in use first, no id twice',
  concealed: true,
  parse: asIs,
  accepts: (value) => {
    const ids = isString(value) ? items(value).map((entry) => ringEntry.exec(entry)?.[1]) : [];
    return ids.length > 0 && !ids.includes(undefined) && new Set(ids).size === ids.length;
  },
  show: () => '(secret)',
};
