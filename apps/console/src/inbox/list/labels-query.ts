import type { LabelList } from '@postroom/contracts';
import { useQueries } from '@tanstack/react-query';
import { useAccount } from '../../api/account.js';
import { api } from '../../api/api.js';

/** A label and how many conversations of the member's mailboxes have it. */
export interface CountedLabel {
  readonly label: string;
  readonly conversations: number;
}

/** The labels of some mailboxes, or all of the member's, the most used first. */
export function useLabels(mailboxes?: readonly string[]): readonly CountedLabel[] {
  const { mailboxes: all } = useAccount();
  return useQueries({
    queries: (mailboxes ?? all.map(({ address }) => address)).map((mailbox) => ({
      queryKey: ['labels', mailbox],
      queryFn: () => api.get<LabelList>('/v1/labels', { mailbox }),
    })),
    combine: (results) => {
      const sums = new Map<string, number>();
      for (const { label, conversations } of results.flatMap(({ data }) => data?.labels ?? []))
        sums.set(label, (sums.get(label) ?? 0) + conversations);
      return [...sums]
        .map(([label, conversations]) => ({ label, conversations }))
        .toSorted((a, b) => b.conversations - a.conversations || (a.label < b.label ? -1 : 1));
    },
  });
}
