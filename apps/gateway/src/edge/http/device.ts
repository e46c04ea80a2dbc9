import Bowser from 'bowser';

/** A browser's name for itself has some hundred characters. */
const readMax = 512;
const nameMax = 120;

/** The browser and system of a `User-Agent` in words, such as `Firefox on Windows`; null when it names neither. */
export function deviceOf(userAgent: string): string | null {
  if (userAgent === '') return null;
  const { browser, os, platform } = Bowser.parse(userAgent.slice(0, readMax));
  const system = os.name ?? platform.model;
  const known = [browser.name, system].filter((name) => name !== undefined && name !== '');
  return known.length === 0 ? null : known.join(' on ').slice(0, nameMax);
}
