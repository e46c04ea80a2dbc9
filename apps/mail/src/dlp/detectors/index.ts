import type { DlpDetector } from '@postroom/contracts';

/** The pattern as a rule keeps it. */
export const patternOf = (_detector: DlpDetector, pattern: string | null): string | null => pattern;
