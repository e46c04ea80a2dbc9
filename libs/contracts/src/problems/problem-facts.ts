/** What is known of a refusal. */
export interface ProblemFacts {
  readonly status: number;
  /** The public text; it may change, nobody should test on it. */
  readonly fr: string;
  readonly en: string;
  /** The caller may repeat the same request later and expect another answer. */
  readonly retryable?: true;
}
