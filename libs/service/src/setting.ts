import { ValidateBy } from 'class-validator';
import * as kinds from './setting-kinds.js';
import type { Bounds, Kind } from './setting-kinds.js';

/** A setting with neither a default nor `nullable` is required. */
export interface Need<T> {
  /** Used when the variable is unset. */
  readonly default?: T;
  /** It may be unset, and is null then (`T | null`). */
  readonly nullable?: boolean;
}

/** One declared setting, for the loader and the table. */
export interface Setting {
  readonly property: string;
  /** The environment variable. */
  readonly variable: string;
  readonly about: string;
  readonly kind: string;
  readonly allowed: string;
  readonly concealed: boolean;
  /** Neither a default nor nullable. */
  readonly required: boolean;
  /** The value when the variable is unset: the default, null, or undefined when required. */
  readonly unset: unknown;
  /** The default as the operator would write it; null without one. */
  readonly defaultText: string | null;
  readonly parse: (text: string) => unknown;
}

type Valued<T, O> = T | (O extends { nullable: true } ? null : never);

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** A property decorator that compiles only on a property of exactly the setting's type. */
export type SettingDecorator<T> = <C extends object, K extends keyof C & string>(
  prototype: C,
  property: Same<C[K], T> extends true ? K : never,
) => void;

const declared = new WeakMap<object, Setting[]>();

/** The settings of a configuration class, those of its parents first, in their written order. */
export function settingsOf(config: abstract new () => object): Setting[] {
  const settings: Setting[] = [];
  for (
    let level: unknown = config.prototype;
    isObject(level);
    level = Object.getPrototypeOf(level)
  ) {
    settings.unshift(...(declared.get(level) ?? []));
  }
  // One that is declared again by a subclass takes the place of the first.
  return [...new Map(settings.map((one) => [one.property, one])).values()];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Validates with class-validator and records the setting. */
function declare<T, O extends Need<T>>(
  variable: string,
  about: string,
  kind: Kind<T>,
  need: O | undefined,
): SettingDecorator<Valued<T, O>> {
  const { name, allowed, parse, concealed = false } = kind;
  const nullable = need?.nullable ?? false;
  const byDefault = need?.default;
  const setting = {
    variable,
    about,
    kind: name,
    allowed,
    concealed,
    parse,
    required: byDefault === undefined && !nullable,
    unset: byDefault ?? (nullable ? null : undefined),
    defaultText: byDefault === undefined ? null : kind.show(byDefault),
  };
  const validate = (value: unknown) => (value === null ? nullable : kind.accepts(value));
  return (prototype: object, property: string): void => {
    declared.set(prototype, [...(declared.get(prototype) ?? []), { ...setting, property }]);
    const validator = { validate, defaultMessage: () => allowed };
    ValidateBy({ name, validator })(prototype, property);
  };
}

/** The options of one kind beside {@link Need}. */
type Limits<T, L> = Need<T> & L;

/**
 * Declares a property of a configuration class as a setting, one decorator a property: the
 * environment variable, its description for the operator, and what the kind needs.
 *
 * ```ts
 * class MailConfig {
 *   @setting.port('SMTP_PORT', 'Where mail is received.', { default: 2525 })
 *   smtpPort!: number;
 *
 *   @setting.url('OUTGOING_SMTP_URL', 'The relay for outgoing mail.', {
 *     protocols: ['smtp:', 'smtps:'],
 *     nullable: true,
 *   })
 *   outgoingSmtpUrl!: string | null;
 * }
 * ```
 */
export const setting = {
  /** Any text. */
  text: <const O extends Need<string>>(variable: string, about: string, need?: O) =>
    declare<string, O>(variable, about, kinds.text, need),

  /** A TCP port; 0 lets the system choose a free one. */
  port: <const O extends Need<number>>(variable: string, about: string, need?: O) =>
    declare<number, O>(variable, about, kinds.port, need),

  /** A whole number between two bounds, both inclusive. */
  integer: <const O extends Limits<number, Bounds>>(variable: string, about: string, need: O) =>
    declare<number, O>(variable, about, kinds.integer(need), need),

  /** A share of something, from 0 to 1. */
  fraction: <const O extends Need<number>>(variable: string, about: string, need?: O) =>
    declare<number, O>(variable, about, kinds.fraction, need),

  /** True or false. */
  flag: <const O extends Need<boolean>>(variable: string, about: string, need?: O) =>
    declare<boolean, O>(variable, about, kinds.flag, need),

  /** A URL of one of the protocols (`'https:'`), kept as text. Never shown in an error. */
  url: <const O extends Limits<string, { readonly protocols: readonly string[] }>>(
    variable: string,
    about: string,
    need: O,
  ) => declare<string, O>(variable, about, kinds.url(need.protocols), need),

  /** A length of time in milliseconds, between two bounds in milliseconds. */
  duration: <const O extends Limits<number, Bounds>>(variable: string, about: string, need: O) =>
    declare<number, O>(variable, about, kinds.duration(need), need),

  /** Lengths of time in milliseconds, separated by commas. */
  durations: <const O extends Limits<readonly number[], Bounds>>(
    variable: string,
    about: string,
    need: O,
  ) => declare<readonly number[], O>(variable, about, kinds.durations(need), need),

  /** Texts separated by commas. */
  list: <const O extends Need<readonly string[]>>(variable: string, about: string, need?: O) =>
    declare<readonly string[], O>(variable, about, kinds.list, need),

  /** IP addresses and networks (CIDR), separated by commas. */
  networks: <const O extends Need<readonly string[]>>(variable: string, about: string, need?: O) =>
    declare<readonly string[], O>(variable, about, kinds.networks, need),

  /** One of a few words. */
  oneOf: <const V extends string, const O extends Need<V>>(
    variable: string,
    about: string,
    values: readonly V[],
    need?: O,
  ) => declare<V, O>(variable, about, kinds.oneOf(values), need),

  /** A text that nothing ever prints; at least 16 characters unless told otherwise. */
  secret: <const O extends Limits<string, { readonly lengthMin?: number }>>(
    variable: string,
    about: string,
    need?: O,
  ) => declare<string, O>(variable, about, kinds.secret(need?.lengthMin ?? 16), need),

  /** Such texts separated by commas, kept as one. */
  secrets: <const O extends Need<string>>(variable: string, about: string, need?: O) =>
    declare<string, O>(variable, about, kinds.secrets, need),

  /** One setting for each of some names, gathered into a record by name. */
  each:
    <const N extends string, T>(
      names: readonly N[],
      settingOf: (name: N) => SettingDecorator<T>,
    ): SettingDecorator<Readonly<Record<N, T>>> =>
    (prototype: object, property: string) => {
      for (const name of names) {
        const declareOne = settingOf(name) as (prototype: object, property: string) => void;
        declareOne(prototype, `${property}.${name}`);
      }
    },

  /** The text of a keyring, `<id>:<base64 of 32 bytes>` separated by commas. Never printed. */
  keyring: <const O extends Need<string>>(variable: string, about: string, need?: O) =>
    declare<string, O>(variable, about, kinds.keyring, need),
};
