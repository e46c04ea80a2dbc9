import { createTheme, type CSSVariablesResolver } from '@mantine/core';

const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');

/** The value that the page's policy asks of style elements that scripts add. */
export const nonce = meta?.nonce ?? '';

/** Shades whose contrast with what they stand on is 4.5 at least in both schemes (WCAG 2.2, 1.4.3). */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  components: {
    NavLink: { defaultProps: { variant: 'subtle' } },
    Badge: { defaultProps: { tt: 'none' } },
    Tooltip: { defaultProps: { openDelay: 400, withArrow: true } },
    Modal: { defaultProps: { centered: true } },
  },
});

/** Mantine's own dimmed text is too light, and so is text on the tints of some colours. */
export const colours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-teal-light-color': '#066649',
    '--mantine-color-yellow-light-color': '#7a4100',
    '--mantine-color-red-light-color': 'var(--mantine-color-red-9)',
  },
  dark: { '--mantine-color-dimmed': 'var(--mantine-color-dark-1)' },
});
