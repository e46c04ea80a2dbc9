import { useLocalStorage } from '@mantine/hooks';

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
