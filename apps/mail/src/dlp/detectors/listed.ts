/** The entries of a comma-separated pattern. */
export const listed = (pattern: string): string[] => [
  ...new Set(
    pattern
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
];
