import { useLocalStorage } from '@mantine/hooks';
import type { Calendar } from '@postroom/contracts';

/** Colours of calendars, dark enough for white text (WCAG 2.2, 1.4.3). */
export const calendarColours: readonly string[] = [
  ...['#364fc7', '#0b7285', '#2b6b2f', '#862e9c', '#a61e4d', '#a33b00', '#5f3dc4', '#495057'],
];

/** The colour of a calendar: its own, or one by its place. */
export function colourOf(calendar: Calendar | undefined, place: number): string {
  const own = calendar?.color ?? '';
  return /^#[\da-f]{6}$/i.test(own)
    ? own
    : (calendarColours[Math.max(0, place) % calendarColours.length] ?? '#364fc7');
}

/** Black or white, whichever is read better on the colour. */
export function textOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}

/** The calendars that the member has hidden, on this device. */
export function useHiddenCalendars(): readonly [readonly string[], (id: string) => void] {
  const [hidden, setHidden] = useLocalStorage<readonly string[]>({
    key: 'calendars-hidden',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const toggle = (id: string): void =>
    setHidden(hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id]);
  return [hidden, toggle];
}
